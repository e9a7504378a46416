"""`bayplan records`: what was decided, and what became of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from cyclopts import Parameter

from bayplan.cli.output import Format, Part, Sheet, emit
from bayplan.cli.plan_text import plan_parts
from bayplan.cli.server.connection import connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.control.resources.ages import age

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = "bayplan records"


def records(
    id: Annotated[str, Parameter(help="One record, as a Pod's annotation bayplan.io/record names it.")] = "",  # noqa: A002
    /,
    *,
    limit: Annotated[int, Parameter(help="How many records to list.")] = 20,
    output: Format = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """List the newest decisions of a server, or show one.

    With -o json or yaml a single record holds all that is needed to make its decision again: `bayplan replay FILE`.
    """
    with connect(server, data) as connection:
        if id:
            wanted = {"inputs": output in ("json", "yaml")}
            document = connection.get(f"/v1/records/{quote(id, safe='')}", wanted, place=f"record {id}")
            emit(document, output, *_one(document))
        else:
            document = connection.get("/v1/records", {"limit": limit}, place=COMMAND)
            emit(document, output, _listed(document))


def _listed(document: dict[str, Any]) -> Part:
    now = datetime.now(UTC)
    rows = [
        (
            each["id"],
            age(each["time"], now),
            each["object"]["namespace"],
            f"{each['object']['kind']}/{each['object']['name']}",
            each["verdict"],
            each["outcome"],
        )
        for each in document["items"]
    ]
    return Sheet(("RECORD", "AGE", "NAMESPACE", "OBJECT", "VERDICT", "OUTCOME"), rows) if rows else "no records yet"


def _one(record: dict[str, Any]) -> Iterator[Part]:
    whose = record["object"]
    message = f": {record['message']}" if record.get("message") else ""
    yield f"record {record['id']} at {record['time']} about {whose['kind']} {whose['namespace']}/{whose['name']}"
    yield f"seed {record['seed']}, revision {record['revision']}, {record['outcome']}{message}"
    yield ""
    yield from plan_parts(record["plan"])
