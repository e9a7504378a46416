"""`bayplan queue`: what waits for a place."""

from __future__ import annotations

from datetime import UTC, datetime

from bayplan.cli.output import Format, Sheet, emit
from bayplan.cli.server.connection import connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.control.resources.ages import age

COMMAND = "bayplan queue"


def queue(*, output: Format = "table", server: ServerAddress = None, data: DataFolder = None) -> None:
    """Show what waits for a place, in the order in which it is planned: by priority, then age, then name."""
    with connect(server, data) as connection:
        document = connection.get("/v1/queue", place=COMMAND)
    now = datetime.now(UTC)
    rows = [
        (
            str(each["position"]),
            each["namespace"],
            each["workload"],
            str(each["priority"]),
            age(each["since"], now),
        )
        for each in document["items"]
    ]
    shown = Sheet(("POSITION", "NAMESPACE", "WORKLOAD", "PRIORITY", "WAITING"), rows) if rows else "nothing waits"
    emit(document, output, shown)
