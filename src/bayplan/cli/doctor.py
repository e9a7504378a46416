"""`bayplan doctor`: whether the store is whole and what must always hold does hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.output import Format, Part, Sheet, Title, emit
from bayplan.cli.server.connection import connect
from bayplan.cli.server.data_folder import DataFolder, data_folder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.server.refusals import UnreachableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMAND = "bayplan doctor"
_UNSOUND = 1


def doctor(
    *,
    failpoints: Annotated[
        bool, Parameter(negative=(), help="List the places where BAYPLAN_FAILPOINT can kill a server.")
    ] = False,
    output: Format = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> int:
    """Check the store and the invariants, on a running server or, where none runs, in the data folder.

    Exit code 1 if anything does not hold, or if the store or the cluster cannot be read. An invariant that these
    objects cannot show is neither.
    """
    if failpoints:
        _list_failpoints(output)
        return 0
    document = _diagnosis(server, data)
    sound = is_sound(document)
    emit(document, output, *_parts(document, sound=sound))
    return 0 if sound else _UNSOUND


def is_sound(document: dict[str, Any]) -> bool:
    """Whether everything could be read and nothing is violated."""
    readable = document["store"]["ok"] and document["cluster"]["ok"]
    return bool(readable) and all(each["ok"] is not False for each in document["invariants"])


def _diagnosis(server: str | None, data: Path | None) -> dict[str, Any]:
    try:
        with connect(server, data) as connection:
            found: dict[str, Any] = connection.get("/v1/doctor", place=COMMAND)
    except UnreachableError as unreachable:
        from bayplan.api.verbs.doctor import diagnose_folder  # noqa: PLC0415 (asking a server needs no store)

        folder = data_folder(data)
        offline = None if server else diagnose_folder(folder)
        if offline is None:
            raise unreachable from None
        return offline
    return found


def _list_failpoints(output: str) -> None:
    from bayplan.control.failpoints import FAILPOINTS  # noqa: PLC0415 (for tests alone)

    document = {"failpoints": [{"name": name, "when": when} for name, when in FAILPOINTS.items()]}
    emit(document, output, Sheet(("FAILPOINT", "WHEN"), list(FAILPOINTS.items()), sentences=("WHEN",)))


def _parts(document: dict[str, Any], *, sound: bool) -> Iterator[Part]:
    yield Title("everything holds that can be judged" if sound else "something is wrong", "good" if sound else "bad")
    rows = [
        ("store", _answer(document["store"]), "the database is whole"),
        ("cluster", _answer(document["cluster"]), "the objects that describe the cluster can be read"),
    ]
    rows += [(each["id"], _answer(each), each["says"]) for each in document["invariants"]]
    yield from ("", Sheet(("CHECK", "HOLDS", "SAYS"), rows, sentences=("SAYS",)))
    if wrong := _wrong(document):
        yield from (
            "",
            Title("Violations", "bad"),
            Sheet(("CHECK", "WHAT IS WRONG"), wrong, sentences=("WHAT IS WRONG",)),
        )
    if unknown := [(each["id"], each["reason"]) for each in document["invariants"] if each["ok"] is None]:
        yield from ("", Title("Not judged"), Sheet(("CHECK", "WHY NOT"), unknown, sentences=("WHY NOT",)))
    yield from (f"warning: {each}" for each in document["warnings"])


def _wrong(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        *((part, text) for part in ("store", "cluster") for text in document[part]["problems"]),
        *((each["id"], text) for each in document["invariants"] for text in each["violations"]),
    ]


def _answer(check: dict[str, Any]) -> str:
    return {True: "yes", False: "no", None: "unknown"}[check["ok"]]
