"""What `bayplan up` does once it serves: applies what its flags name, shows the demo, then says that it is ready."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.cli.demo.installation import (
    applied,
    apply_whole,
    demo_objects,
    found,
    install,
    install_namespace,
    is_installed,
)
from bayplan.cli.demo.local_worker import NAME, LocalWorker, LocalWorkerError
from bayplan.cli.demo.overview import Overview, is_ready, overview, state_of
from bayplan.cli.demo.progress import progress
from bayplan.cli.errors import report, warn
from bayplan.cli.output import Part, Title, Verbatim, emit
from bayplan.cli.own_command import folder_flag, own_command
from bayplan.cli.server.connection import Connection
from bayplan.cli.server.data_folder import KUBECONFIG
from bayplan.cli.server.location import read_kubeconfig
from bayplan.framework.errors import BayplanError
from bayplan.sim.demo.contents import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bayplan.cli.demo.progress import Progress
    from bayplan.cli.objects.manifests import Manifest

PATIENCE_S = 45.0
"""How long the demo is waited for; after that it is shown as it is."""
_PAUSE_S = 0.25
_JOIN_S = 2.0  # a request that is under way when the server stops ends soon
_EXPLAINED = "next-training"  # the example that waits


class _StoppedError(Exception):
    """The server is being stopped."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the flags of `bayplan up` ask for: Clusters to apply, and the demo."""

    clusters: list[Manifest] = field(default_factory=list)
    demo: bool = False


class Introduction:
    """Runs in a thread of its own, as a client of the server. `end` may come at every moment."""

    def __init__(self, folder: Path, wishes: Wishes, announce: Callable[[], None]) -> None:
        self._folder, self._wishes, self._announce = folder, wishes, announce
        self._worker = LocalWorker(folder) if wishes.demo else None
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="introduction", daemon=True)

    def begin(self) -> None:
        """Do it in the background; where there is nothing to do, it is ready at once."""
        if self._wishes.clusters or self._wishes.demo:
            self._thread.start()
        else:
            self._announce()

    def end(self) -> None:
        """Stop, and end the worker of the demo while the server still hears it."""
        self._ends.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)
        if self._worker is not None:
            self._worker.stop()

    def _run(self) -> None:
        try:
            with Connection(read_kubeconfig(self._folder / KUBECONFIG), tell=lambda _: None) as connection:
                self._set_up(connection)
        except _StoppedError:
            return
        except BayplanError as error:
            if self._ends.is_set():
                return
            report(error)
        self._announce()

    def _set_up(self, connection: Connection) -> None:
        with progress() as shown:
            for each in self._wishes.clusters:
                self._go_on()
                apply_whole(connection, each)
                self._await_nodes(connection, each)
            if self._wishes.demo:
                self._install(connection, shown)
                self._await(connection, shown)
        if self._wishes.demo:
            self._go_on()
            emit(None, "table", *self._told(overview(connection, NAMESPACE)))

    def _await_nodes(self, connection: Connection, cluster: Manifest) -> None:
        """Until the workers of a Cluster are Nodes; what is in the way is told."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            self._go_on()
            document = found(connection, cluster) or {}
            told = applied(document)
            if told is not None:
                if told["status"] != "True":
                    warn(f"{cluster.target.place}: {told.get('message', '')}")
                return
            self._ends.wait(_PAUSE_S)

    def _install(self, connection: Connection, shown: Progress) -> None:
        self._go_on()
        if self._worker is not None:
            try:
                self._worker.start()
            except LocalWorkerError as error:
                report(error)
        if is_installed(connection):
            return
        objects = demo_objects()
        install_namespace(connection, complete=False)
        shown.stage("applying examples of every dialect", len(objects))

        def done(number: int) -> None:
            self._go_on()
            shown.done(number)

        install(connection, objects, done)
        install_namespace(connection, complete=True)

    def _await(self, connection: Connection, shown: Progress) -> None:
        """Until everything runs or says why it does not."""
        end_s = time.monotonic() + PATIENCE_S
        shown.stage("placing and starting replicas", len(overview(connection, NAMESPACE).pods))
        calm = 0
        while time.monotonic() < end_s and calm < 2:  # twice, because a refused Pod may be tried again
            self._go_on()
            now = overview(connection, NAMESPACE)
            here = is_ready(now.nodes.get(NAME, {})) or not self._worker_runs()
            calm = calm + 1 if here and now.pods and now.settled >= len(now.pods) else 0
            shown.done(min(now.settled, len(now.pods)), len(now.pods))
            self._ends.wait(_PAUSE_S)

    def _worker_runs(self) -> bool:
        if self._worker is None:
            return False
        try:
            self._worker.check()
        except LocalWorkerError:
            return False
        return True

    def _go_on(self) -> None:
        if self._ends.is_set():
            raise _StoppedError

    def _told(self, now: Overview) -> Iterator[Part]:
        yield from now.parts()
        if self._worker is not None:
            try:
                self._worker.check()
            except LocalWorkerError as error:
                yield f"warning: {error}"
        yield Title("Try next, in another terminal")
        command, flag = own_command(), folder_flag(self._folder)
        engine = next(
            (each for each in now.placed if each["spec"]["nodeName"] == NAME and state_of(each) == "ready"), None
        )
        last = ("what happened", f"{command} events -n {NAMESPACE}{flag}")
        if engine is not None:
            named = engine["metadata"]["name"]
            last = ("the log of an engine that runs on this machine", f"{command} logs {named} -n {NAMESPACE}{flag}")
        for about, line in (
            (
                "every Pod and its worker",
                f"kubectl --kubeconfig {self._folder / KUBECONFIG} get pods -n {NAMESPACE} -o wide",
            ),
            ("what is in the way of a gang of 16 cards", f"{command} why workload/{_EXPLAINED} -n {NAMESPACE}{flag}"),
            last,
        ):
            yield f"  # {about}"
            yield Verbatim(f"  {line}")
        yield ""
