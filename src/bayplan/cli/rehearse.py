"""`bayplan rehearse`: what a sequence of events does to models on servers, worked out from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from bayplan.cli.files import ClusterFiles, read_cluster_files, read_once
from bayplan.cli.output import Format, Part, Sheet, Title, emit
from bayplan.cli.serving.step_text import step_text
from bayplan.cli.single_file import read_single
from bayplan.library.rehearse import rehearse as rehearsal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMAND = "bayplan rehearse"
_COLUMNS = ("MODEL", "VERSION", "SERVER", "REPLICA", "STATE", "IN MEMORY", "MiB")

StepsFile: TypeAlias = Annotated[
    str,
    Parameter(name="--steps", allow_leading_hyphen=True, help="A file with the steps, YAML or JSON; - is stdin."),
]


def rehearse(*, steps: StepsFile, cluster: ClusterFiles = None, output: Format = "table") -> None:
    """Say what becomes of models and their replicas, event by event. Nothing is carried out.

    The file lists steps: apply, delete, replica-up, replica-down, drain, loaded, load-failed, unloaded, unload-failed,
    infer, tick and settle, each under `do`. After each step the bookings and the states of the models are shown.
    Exit code 0 whenever there is an answer.
    """
    read_once(steps, cluster)
    given = read_single(steps, "--steps")
    document = rehearsal_of(given, read_cluster_files(cluster, COMMAND))
    listed = given.data["steps"] if isinstance(given.data, dict) else given.data
    emit(document, output, *_parts(listed, document["steps"]))


def _parts(steps: Sequence[Any], states: Sequence[dict[str, Any]]) -> Iterator[Part]:
    for number, (step, state) in enumerate(zip(steps, states, strict=True)):
        if number:
            yield ""
        yield Title(f"{number}. {step_text(step)}")
        if state["served"] is not None:
            yield _served(state["served_by"])
        if state["bookings"]:
            yield Sheet(_COLUMNS, [_row(each) for each in state["bookings"]], spare=(("MiB",), ("IN MEMORY",)))
        if state["models"]:
            yield ", ".join(f"{name} {status['state']}" for name, status in state["models"].items())


def _served(served_by: dict[str, Any] | None) -> str:
    if served_by is None:
        return "not served: no replica is available"
    return f"served by {served_by['server']}/{served_by['serverReplica']}, version {served_by['version']}"


def _row(booking: dict[str, Any]) -> tuple[str, ...]:
    keys = ("workload", "version", "server", "serverReplica", "state")
    resident = "yes" if booking["resident"] else "no"
    return (*(str(booking[key]) for key in keys), resident, str(booking["memory"]))
