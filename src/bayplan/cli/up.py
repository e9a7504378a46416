"""`bayplan up`: a server on this machine, with all it needs in one folder."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path  # noqa: TC003 (cyclopts reads the types of flags)
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from bayplan.bootstrap import LOOPBACK, Options, serve
from bayplan.cli.demo.installation import as_manifest
from bayplan.cli.demo.introduction import Introduction, Wishes
from bayplan.cli.errors import warn
from bayplan.cli.files import read_cluster_files
from bayplan.cli.main import DEBUG
from bayplan.cli.server.data_folder import DataFolder, data_folder
from bayplan.cli.text import write
from bayplan.framework.errors import InputError
from bayplan.library.read_cluster import as_document
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.sim.demo.contents import demo_scenario
from bayplan.sim.fleet.scenario import Scenario
from bayplan.sim.fleet.scenario_file import read_scenario_file, simulated
from bayplan.telemetry.log import LogForm

if TYPE_CHECKING:
    from bayplan.cli.objects.manifests import Manifest

_COMMAND = "bayplan up"


def up(
    *,
    data: DataFolder = None,
    port: Annotated[int, Parameter(help="The port; 0 takes a free one.")] = 7077,
    host: Annotated[
        str, Parameter(help="The address to listen on; others than this machine's need tokens.")
    ] = LOOPBACK,
    insecure_http: Annotated[
        bool, Parameter(help="Plain HTTP without tokens, for this machine alone.", negative=())
    ] = False,
    demo: Annotated[
        bool,
        Parameter(help="Add a simulated fleet, examples of every dialect, and a worker on this machine."),
    ] = False,
    cluster: Annotated[
        Path | None, Parameter(help="A Cluster file, or another inventory: its workers become Nodes.")
    ] = None,
    simulate: Annotated[
        Path | None, Parameter(help="A scenario file: its workers, and those of --cluster, are simulated.")
    ] = None,
    name: Annotated[
        tuple[str, ...],
        Parameter(help="Another name or address under which clients call; may be repeated.", negative=()),
    ] = (),
    log: Annotated[
        Literal["text", "json"], Parameter(help="Lines on stderr: for people, or JSON with every decision.")
    ] = "text",
) -> None:
    """Run the server in the foreground until Ctrl-C; kubectl and the other commands talk to it.

    It prints a last line `ready URL` once it answers and all that its flags name is there. kubectl finds it with the
    file kubeconfig in the data folder. Objects stay in the data folder, those of --demo too, in the namespace demo.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # nohup ignores it; else a closed terminal ends the server
        signal.signal(signal.SIGHUP, _hang_up)
    try:
        folder = data_folder(data).absolute()
        scenario = _scenario(simulate, demo=demo)
        wishes = Wishes(_clusters(cluster, scenario, simulated_too=simulate is not None), demo)
        options = Options(folder, port, host, tls=not insecure_http, names=name, log=LogForm(log), scenario=scenario)
        _serve(replace(options, debug=DEBUG in os.environ), wishes)
    except KeyboardInterrupt:
        return  # before it served: nothing is lost, so this is no failure


def _serve(options: Options, wishes: Wishes) -> None:
    ready = ""

    def announce() -> None:
        hint = "" if wishes.demo else f"kubectl --kubeconfig {options.data / 'kubeconfig'} get nodes\n"
        write(f"{hint}ready {ready}\n")
        sys.stdout.flush()

    introduction = Introduction(options.data, wishes, announce)

    def serves(url: str) -> None:
        nonlocal ready
        ready = url
        introduction.begin()

    serve(options, serves, introduction.end)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _hang_up(*_: object) -> None:
    signal.raise_signal(signal.SIGTERM)


def _scenario(file: Path | None, *, demo: bool) -> Scenario:
    if file is None:
        return demo_scenario() if demo else Scenario()
    if demo:
        following = "leave one of them out"
        raise InputError("--demo brings a scenario of its own", place="--simulate", next=following, code="usage")
    scenario, warnings = read_scenario_file(file)
    for each in warnings:
        warn(each)
    return scenario


def _clusters(file: Path | None, scenario: Scenario, *, simulated_too: bool) -> list[Manifest]:
    """The Clusters to apply; what is wrong with a file is told before anything is started."""
    found = [] if scenario.cluster is None else [as_manifest(scenario.cluster, scenario.name)]
    if file is not None:
        documents = read_cluster_files([str(file)], _COMMAND)
        document = as_document(read_inventory(documents))
        for each in document.pop("warnings"):
            warn(each)
        given = documents[0].data.get("metadata") if isinstance(documents[0].data, dict) else None
        named = given.get("name") if isinstance(given, dict) and len(documents) == 1 else None
        document["metadata"] = {"name": str(named or "default")}
        found.append(as_manifest(simulated(document) if simulated_too else document, str(file)))
    return found
