"""`bayplan convert` and `bayplan import`: manifests of any dialect as native documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bayplan.cli.errors import USAGE, warn
from bayplan.cli.files import WorkloadFiles, documents_in, read_once
from bayplan.cli.output import Format, Sheet, emit
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.text import write
from bayplan.framework.errors import InputError
from bayplan.library.conversion import convert as convert_documents, convert_gpustack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bayplan.library.conversion import Conversion, Passed
    from bayplan.manifests.reader import Document

_MOST_PATHS = 12  # paths in one warning, a line or two; with -o json all are there


def convert(
    *more: Annotated[str, Parameter(help="More files or folders of manifests; -f may be left out.")],
    file: WorkloadFiles = None,
    output: Format = "yaml",
) -> None:
    """Print what manifests become: Workloads in order, and one Cluster of all that describes workers.

    What found no place in them is told on stderr, and listed in the document of -o json. Objects without a native form
    are named and left as they are. Nothing is written or reserved.
    """
    _print("bayplan convert", [*(file or ()), *more], convert_documents, output)


def gpustack(
    *more: Annotated[str, Parameter(help="More files or folders; -f may be left out.")],
    file: WorkloadFiles = None,
    apply: Annotated[bool, Parameter(negative=(), help="Apply the documents to a server instead.")] = False,
    output: Format = "yaml",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> int:
    """Print models, workers and model instances of GPUStack as native documents, or apply them.

    The files are what its API answers to GET /v2/models, /v2/workers and /v2/model-instances.
    """
    command, files = "bayplan import gpustack", [*(file or ()), *more]
    if not apply:
        _print(command, files, convert_gpustack, output)
        return 0
    from bayplan.cli.objects.apply import apply_documents  # noqa: PLC0415 (printing needs no network)

    found = _made(command, files, convert_gpustack)
    return apply_documents(found.items, ", ".join(files[:3]), server, data)


def _made(command: str, files: list[str], make: Callable[[list[Document]], Conversion]) -> Conversion:
    """What the files become; what is ignored is told."""
    if not files:
        raise InputError("FILE is missing", place=command, next=f"name it: -f FILE (see {command} --help)", code=USAGE)
    read_once(files)
    found = make(list(documents_in(files, None, _no_object)))
    if not found.items and not found.kept:
        step = "hand in at least one workload or worker"
        raise InputError("there is nothing to convert in it", place=", ".join(files[:3]), next=step)
    _warn(found)
    return found


def _print(command: str, files: list[str], make: Callable[[list[Document]], Conversion], output: str) -> None:
    found = _made(command, files, make)
    if output == "yaml":
        for number, item in enumerate(found.items):
            write("---\n" if number else "")
            emit(item, output)
        return
    rows = [(item.get("kind", ""), item.get("metadata", {}).get("name", "-")) for item in found.items]
    emit(found.as_dict(), output, Sheet(("KIND", "NAME"), rows))


def _no_object(document: Document) -> str | None:
    return None if isinstance(document.data, dict | list) else "it holds no object"


def _warn(found: Conversion) -> None:
    for warning in dict.fromkeys(found.warnings):
        warn(warning)
    for kept in found.kept:
        warn(f"{kept['object']}: not converted: {kept['reason']}")
    for (subject, reason), paths in _by_reason(found.ignored).items():
        more = f" and {len(paths) - _MOST_PATHS} more" if len(paths) > _MOST_PATHS else ""
        warn(f"{subject}: ignored: {', '.join(paths[:_MOST_PATHS])}{more}: {reason}")


def _by_reason(ignored: Iterable[Passed]) -> dict[tuple[str, str], list[str]]:
    """The paths of each object that are ignored for the same reason: one warning is enough for them."""
    found: dict[tuple[str, str], list[str]] = {}
    for each in ignored:
        found.setdefault((each.object, each.found.reason), []).append(each.found.path)
    return found
