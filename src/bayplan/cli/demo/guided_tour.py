"""`bayplan demo`: the running system in a temporary folder, with a failure and its repair."""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayplan.cli.demo.child_server import ChildServer
from bayplan.cli.demo.overview import Overview, is_ready, overview, owner_of, state_of
from bayplan.cli.errors import note
from bayplan.cli.output import Part, Sheet, Title, Verbatim, emit
from bayplan.cli.own_command import own_command
from bayplan.cli.server.connection import Connection
from bayplan.cli.server.data_folder import KUBECONFIG
from bayplan.cli.server.location import read_kubeconfig
from bayplan.framework.errors import BayplanError
from bayplan.sim.demo.contents import NAMESPACE, demo_scenario
from bayplan.sim.fleet.marks import FAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE_S = 60.0
_PAUSE_S = 0.5
_PLACE = "bayplan demo"
_MOVED = "deployment/embedder"  # of the examples: its replicas fit on other workers too
_MERGE = "application/merge-patch+json"


class TourError(BayplanError):
    """The system did not do what the tour shows."""

    code = "tour"


def demo() -> None:
    """Run everything in a temporary folder for a minute: what is placed where, a worker that dies, its repair.

    Nothing is left behind. `bayplan up --demo` starts the same system and lets it run; `bayplan tour` needs no server.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="bayplan-demo-") as folder, ChildServer(Path(folder) / "data") as server:
        _say(Title("1. A server, a simulated fleet, and examples of every dialect"), _command("up --demo", folder), "")
        server.show_until_ready()
        with Connection(read_kubeconfig(server.data / KUBECONFIG), tell=lambda _: None) as connection:
            _fail_and_repair(connection, server.data)
        _say(Title("4. Everything is stopped"))
        server.stop()
        _say("The server, its relay, its worker and the two engines have ended. To keep one running: make up")


def _fail_and_repair(connection: Connection, data: Path) -> None:
    before = overview(connection, NAMESPACE)
    victim, patience = _worker_of(before), demo_scenario().nodes
    _say(
        Title(f"2. Worker {victim} dies"),
        f"Its heartbeats stop. After {patience.silence_s:g} s the server marks its Node as not ready, and "
        f"{patience.eviction_s:g} s later its replicas are made anew elsewhere.",
        Verbatim(f"  kubectl --kubeconfig {data / KUBECONFIG} annotate node {victim} {FAULT}=fail"),
    )
    _annotate(connection, victim, "fail")
    missed_s = _until(connection, f"{victim} is missed", lambda now: not is_ready(now.nodes[victim]))
    moved_s = _until(connection, "its replicas run elsewhere", lambda now: _is_moved(now, victim))
    after = overview(connection, NAMESPACE)
    _say(
        "",
        f"The Node is NotReady after {missed_s:.0f} s, and {_MOVED} runs again {moved_s:.0f} s later.",
        _moves(before, after),
        "",
        "These show it:",
        *map(Verbatim, _lines(data, victim)),
        "",
    )
    _say(
        Title(f"3. Worker {victim} is repaired"),
        Verbatim(f"  kubectl --kubeconfig {data / KUBECONFIG} annotate node {victim} {FAULT}-"),
    )
    _annotate(connection, victim, None)
    back_s = _until(connection, f"{victim} is back", lambda now: is_ready(now.nodes[victim]))
    _say("", f"It is ready after {back_s:.0f} s and takes new work; what moved stays where it is.", "")


def _worker_of(now: Overview) -> str:
    workers = [str(each["spec"]["nodeName"]) for each in now.placed if owner_of(each) == _MOVED]
    if not workers:
        raise TourError(f"{_MOVED} has no place", place=_PLACE, next="see what waits above")
    return workers[0]


def _is_moved(now: Overview, victim: str) -> bool:
    mine = [each for each in now.pods if owner_of(each) == _MOVED]
    ready = [each for each in mine if state_of(each) == "ready" and each["spec"]["nodeName"] != victim]
    return len(ready) == 2


def _moves(before: Overview, after: Overview) -> Sheet:
    rows = list(zip_longest(_places(before), _places(after), fillvalue=""))
    return Sheet(("BEFORE", "AFTER"), rows)


def _places(now: Overview) -> list[str]:
    found = [each for each in now.placed if owner_of(each) == _MOVED and state_of(each) == "ready"]
    return [f"{each['metadata']['name']} on {each['spec']['nodeName']}" for each in found]


def _annotate(connection: Connection, node: str, value: str | None) -> None:
    change: dict[str, Any] = {"metadata": {"annotations": {FAULT: value}}}
    connection.call("PATCH", f"/api/v1/nodes/{node}", None, change, place=f"node {node}", media=_MERGE)


def _until(connection: Connection, what: str, holds: Callable[[Overview], bool]) -> float:
    """Wait for something to come true; how many seconds that took."""
    began_s = time.monotonic()
    note(f"waiting until {what} ...")
    while not holds(overview(connection, NAMESPACE)):
        if time.monotonic() - began_s > PATIENCE_S:
            following = "try again on a machine that has less to do"
            raise TourError(f"after {PATIENCE_S:g} s it is not so that {what}", place=_PLACE, next=following)
        time.sleep(_PAUSE_S)
    return time.monotonic() - began_s


def _lines(data: Path, victim: str) -> Iterator[str]:
    for words in (f"describe node {victim}", f"events -n {NAMESPACE}", f"get pods -n {NAMESPACE} -o wide"):
        yield f"  {own_command()} {words} --data {data}"


def _command(words: str, folder: str) -> Verbatim:
    return Verbatim(f"  {own_command()} {words} --data {Path(folder) / 'data'}")


def _say(*parts: Part) -> None:
    emit(None, "table", *parts)
    sys.stdout.flush()
