"""`bayplan queue`: what waits for a place."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bayplan.cli.output import Format, Part, Sheet, emit
from bayplan.cli.server.connection import connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.control.resources.ages import age

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = "bayplan queue"
_COLUMNS = ("POSITION", "NAMESPACE", "OBJECT", "PODS", "PRIORITY", "WAITING", "STATE", "STARTS", "BLOCKED BY")


def queue(*, output: Format = "table", server: ServerAddress = None, data: DataFolder = None) -> None:
    """Show what waits for a place, in the order in which it is tried: by priority, then age, then name.

    STARTS is when enough of what is held has reached its time limit; unknown where nothing has one. With -o wide the
    sentences behind BLOCKED BY are shown, too.
    """
    with connect(server, data) as connection:
        document = connection.get("/v1/queue", place=COMMAND)
    emit(document, output, *(_parts(document, wide=output == "wide") if document["items"] else ("nothing waits",)))


def _parts(document: dict[str, Any], *, wide: bool) -> Iterator[Part]:
    now = datetime.now(UTC)
    yield Sheet(_COLUMNS, [_row(each, now) for each in document["items"]])
    for each in document["items"]:
        if wide and each["message"]:
            yield f"{each['namespace']}/{each['workload']}: {each['message']}"
        if kept := each["reservation"]:
            where = ", ".join(kept["workers"][:8])
            yield f"{each['namespace']}/{each['workload']}: room on {where} is kept for it until {kept['until']}"


def _row(item: dict[str, Any], now: datetime) -> tuple[str, ...]:
    return (
        str(item["position"]),
        item["namespace"],
        f"{item['kind'].partition('.')[0]}/{item['workload']}",
        str(item["pods"]),
        str(item["priority"]),
        age(item["since"], now),
        item["state"],
        item["expected_start"]["at"] or "unknown",
        ", ".join(item["blocked_by"]) or "-",
    )
