"""`bayplan status`: how far PodGroups, Models and Servers are, worked out from files."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from bayplan.cli.files import ClusterFiles, documents_in, read_once, read_time, read_workload_files
from bayplan.cli.output import Format, Part, Sheet, emit
from bayplan.cli.serving.status_text import model_sheet, server_sheet
from bayplan.cli.text import workload_text
from bayplan.library.status.answer import status as status_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.manifests.reader import Document

COMMAND = "bayplan status"
_COLUMNS = ("GROUP", "PHASE", "MIN", "PODS", "RUNNING", "SUCCEEDED", "FAILED", "TIMED OUT")

StatusFiles: TypeAlias = Annotated[
    list[str] | None,
    Parameter(
        name=("--file", "-f"),
        allow_leading_hyphen=True,
        negative=(),
        help="A file or folder of PodGroups and Pods, Models or Servers, YAML or JSON; - is stdin. May be repeated.",
    ),
]
At: TypeAlias = Annotated[
    str | None,
    Parameter(name="--now", help="The time: 2026-01-31T12:00:00Z, or seconds since 1970; default: the current time."),
]


def status(
    *more: Annotated[str, Parameter(help="More files or folders; -f may be left out.")],
    file: StatusFiles = None,
    cluster: ClusterFiles = None,
    now: At = None,
    output: Format = "table",
) -> None:
    """Say how far PodGroups, Models and Servers are.

    The Pods of a PodGroup are among the same files, or in those of --cluster. What Models hold, and which replicas of
    Servers are connected, is in the Cluster of --cluster. Of all other kinds a running server keeps the status:
    bayplan get shows it.
    """
    files = [*(file or ()), *more]
    read_once(files, cluster)
    moment = read_time(now)
    given = read_workload_files(files, COMMAND)
    around = None if not cluster else list(documents_in(cluster, None, _anything))
    document = status_of(given, around, now=time.time() if moment is None else moment)
    answers = document["items"] if document["kind"] == "StatusList" else [document]
    emit(document, output, *_parts(answers))


def _parts(answers: list[dict[str, Any]]) -> Iterator[Part]:
    """A table for each kind that there is, with an empty line between them."""
    groups = [each for each in answers if "phase" in each]
    models = [each for each in answers if "state" in each]
    servers = [each for each in answers if "loadedModels" in each]
    sheets = [
        *([Sheet(_COLUMNS, [_row(each) for each in groups])] if groups else []),
        *([model_sheet(models)] if models else []),
        *([server_sheet(servers)] if servers else []),
    ]
    for number, sheet in enumerate(sheets):
        if number:
            yield ""
        yield sheet


def _anything(document: Document) -> str | None:
    return None


def _row(answer: dict[str, Any]) -> tuple[str, ...]:
    numbers = (answer[key] for key in ("min_member", "pods", "running", "succeeded", "failed"))
    late = {True: "yes", False: "no", None: "unknown"}[answer["timed_out"]]
    return (workload_text(answer), answer["phase"], *map(str, numbers), late)
