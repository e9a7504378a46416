"""The files that commands plan with: workloads, clusters and configurations, from disk or from stdin."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from bayplan.cli.errors import USAGE, warn
from bayplan.cli.folders import files_of
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.kinds import entries_of
from bayplan.manifests.limits import DOCUMENT, INVENTORY, LARGE, MIB
from bayplan.manifests.reader import read_file, read_stream, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bayplan.manifests.limits import Limits
    from bayplan.manifests.reader import Document

WorkloadFiles: TypeAlias = Annotated[
    list[str] | None,
    Parameter(
        name=("--file", "-f"),
        allow_leading_hyphen=True,
        negative=(),
        help="A file or folder of workloads, YAML or JSON; - is stdin. May be given several times.",
    ),
]
ClusterFiles: TypeAlias = Annotated[
    list[str] | None,
    Parameter(
        name="--cluster",
        allow_leading_hyphen=True,
        negative=(),
        help="A Cluster file, an inventory of kubectl or GPUStack, or a folder of them; - is stdin. May be repeated.",
    ),
]
ConfigFile: TypeAlias = Annotated[
    str | None,
    Parameter(name="--config", help="A scheduler configuration; workloads may name its profiles as strategies."),
]
Seed: TypeAlias = Annotated[
    int, Parameter(name="--seed", help="Seed of random choices, for strategies that make some.")
]
Now: TypeAlias = Annotated[
    str | None,
    Parameter(
        name="--now",
        help="The time to plan at: 2026-01-31T12:00:00Z, or seconds since 1970; default: the current time.",
    ),
]

STDIN = "<stdin>"
Check: TypeAlias = Callable[["Document"], str | None]
"""A function that says why a document is not for this command; None where it is."""
_WANTED = frozenset({"Workload", "AgentPool", "PodGroup"})
_TELL_WORKERS = frozenset({"Cluster", "Node", "NodeList", "List", "Server", "ServerList"})
_CONFIG = "SchedulerConfig"
_HINTS = frozenset({"kind", "spec", "source", "items", "workloads"})
"""Every document of Bayplan, Kubernetes or GPUStack has at least one of these fields."""


def read_workload_files(files: Sequence[str], command: str) -> list[Document]:
    """Every document of the files, in order."""
    if not files:
        raise _missing("the workload", command, "-f FILE")
    documents = list(documents_in(files, None, _no_workload))
    if not documents:
        raise _empty(files, "write a Workload with metadata and spec")
    return documents


def read_cluster_files(files: Sequence[str] | None, command: str) -> list[Document]:
    """Every document of the files; a document that is no inventory is refused, because it belongs to another flag."""
    if not files:
        raise _missing("the cluster", command, "--cluster FILE")
    documents = list(documents_in(files, INVENTORY, no_inventory))
    if not documents:
        raise _empty(files, "write a Cluster with workers, or see bayplan inventory --help")
    for document in documents:
        _refuse_misplaced(document)
    if not any(map(_may_tell_workers, documents)):
        message = f"a {documents[0].data['kind']} describes no workers and no servers"
        step = "hand in a Cluster file, or what kubectl get nodes -o json printed"
        raise InputError(message, place=documents[0].place(), next=step)
    return documents


def read_config_file(file: str | None, *, routes: bool = False) -> Document | None:
    """The configuration, checked here so that its problems name file and line; `routes`: it should be about routing."""
    if file is None:
        return None
    from bayplan.cli.config.config_file import parse, read_one  # noqa: PLC0415
    from bayplan.library.registry import plugins_for  # noqa: PLC0415 (loaded only where --config is given)
    from bayplan.routing.config.reader import is_routing  # noqa: PLC0415

    document = read_one(file)
    if not routes and is_routing(document.data):  # no plan takes it, whatever else may be wrong with it
        return document
    _, warnings = parse(document, plugins_for(document.data))
    for warning in warnings:
        warn(str(warning))
    return document


def warn_if_empty(workers: int) -> None:
    """Warn about a cluster without workers: the answer is right, but rarely what the user wanted."""
    if not workers:
        warn("the cluster has no workers and no servers; see bayplan inventory --help for what is read")


def read_once(*groups: Sequence[str] | str | None) -> None:
    """Refuse a second `-`: stdin can be read only once."""
    named = [file for group in groups for file in ([group] if isinstance(group, str) else group or ())]
    if named.count("-") > 1:
        message = "- was given more than once, and stdin can be read only once"
        raise InputError(message, place=STDIN, next="name files instead of all but one", code=USAGE)


def read_time(text: str | None) -> float | None:
    """A point in time as seconds since 1970."""
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = _rfc3339(text)
    if not math.isfinite(seconds) or abs(seconds) > 1e12:
        raise _no_time(text)
    return seconds


def _rfc3339(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _no_time(text) from None
    if moment.tzinfo is None:
        raise InputError(
            f"{text!r} has no time zone", place="--now", next=f"write {text}Z, or an offset such as +02:00", code=USAGE
        )
    return moment.timestamp()


def _no_time(text: str) -> InputError:
    step = "write 2026-01-31T12:00:00Z, or seconds since 1970"
    return InputError(f"{text[:64]!r} is no time", place="--now", next=step, code=USAGE)


def documents_in(files: Iterable[str], limits: Limits | None, check: Check) -> Iterator[Document]:
    """Every document of these files and folders; a file is read when its first document is needed.

    A document that `check` objects to is skipped with a warning if only its folder was named; a file that was named
    itself is left to the command. Without `limits` a text of up to one MiB is read as an untrusted document.
    """
    for named in files_of(files):
        for document in _read(named.name, limits):
            problem = check(document) if named.in_folder else None
            if problem is None:
                yield document
            else:
                warn(f"{document.place()}: {problem}; the document is ignored")


def _read(file: str, limits: Limits | None) -> list[Document]:
    if file != "-":
        return read_file(Path(file), limits or _limits(_size(file)))
    if sys.stdin is None:
        raise InputError("stdin is closed", place=STDIN, next="name a file")
    if limits is not None:
        return read_stream(sys.stdin.buffer, STDIN, limits)
    text = sys.stdin.buffer.read(LARGE.bytes_per_stream + 1)
    return read_text(text, STDIN, _limits(len(text)))


def _limits(size_bytes: int) -> Limits:
    return DOCUMENT if size_bytes <= MIB else LARGE


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except (OSError, ValueError):
        return 0


def _no_workload(document: Document) -> str | None:
    """Documents with a kind are left to the reader, which knows them all."""
    data = document.data
    if isinstance(data, list) or (isinstance(data, dict) and not _HINTS.isdisjoint(data)):
        return None
    return "it has no kind, and looks like no workload"


def no_inventory(document: Document) -> str | None:
    """Why a document in a folder that was named as the cluster is no inventory; None where it is one."""
    try:
        _refuse_misplaced(document)
        for _ in entries_of([document]):
            pass
    except InputError as error:
        return error.message
    return None


def _refuse_misplaced(document: Document) -> None:
    """Refuse a workload in the cluster files: the user wants it planned, and ignoring it would hide that."""
    kind: Any = document.data.get("kind") if isinstance(document.data, dict) else None
    if kind in _WANTED or (kind is None and _has(document, "spec")):
        step = "hand it in with -f, and the cluster with --cluster"
        raise InputError(f"a {kind or 'Workload'} is not a cluster", place=document.place(), next=step)
    if kind == _CONFIG or (kind is None and _has(document, "schedulingProfiles")):
        message = "a scheduler configuration is not a cluster"
        raise InputError(message, place=document.place(), next="hand it in with --config")


def _may_tell_workers(document: Document) -> bool:
    """Whether a document may describe workers; lists and documents without a kind are judged by the reader."""
    kind: Any = document.data.get("kind") if isinstance(document.data, dict) else None
    return not isinstance(kind, str) or kind in _TELL_WORKERS


def _has(document: Document, key: str) -> bool:
    return isinstance(document.data, dict) and key in document.data


def _empty(files: Sequence[str], step: str) -> InputError:
    names = ", ".join(STDIN if file == "-" else file for file in files[:3])
    return InputError("it is empty: there is no document in it", place=names, next=step)


def _missing(what: str, command: str, flag: str) -> InputError:
    step = f"name it: {flag} (see {command} --help)"
    return InputError(f"{what} is missing", place=command, next=step, code=USAGE)
