"""`bayplan events`: what happened to objects."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.errors import note
from bayplan.cli.objects.event_text import event_header, event_row, event_sheet, in_order
from bayplan.cli.objects.flags import AllNamespaces, Namespace, ObjectFormat
from bayplan.cli.objects.printing import print_objects, print_one_of_many
from bayplan.cli.objects.reading import changes, pages
from bayplan.cli.objects.tables import RunningTable
from bayplan.cli.objects.targets import Target, one_target, targets_of
from bayplan.cli.output import emit
from bayplan.cli.server.connection import JSON, Connection, connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMAND = "bayplan events"
_TABLES = ("table", "wide")


def events(
    *,
    about: Annotated[str | None, Parameter(name="--for", help="Only events about this object: KIND/NAME.")] = None,
    types: Annotated[
        str | None, Parameter(name="--types", help="Only events of these types: Normal, Warning, with commas.")
    ] = None,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    watch: Annotated[bool, Parameter(name=("--watch", "-w"), negative=(), help="Go on with new events.")] = False,
    output: ObjectFormat = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> None:
    """Show what happened to objects, the latest last."""
    (target,) = targets_of(["events"], namespace, everywhere=all_namespaces)
    query = {"fieldSelector": about_object(one_target([about], namespace, COMMAND))} if about else {}
    wanted = frozenset(each.strip().lower() for each in types.split(",")) if types else None
    with connect(server, data) as connection:
        found, revision = list_events(connection, target, query, wanted)
        if watch:
            _watch(connection, target, query, found, revision, wanted, output)
        elif output not in _TABLES:
            print_objects(found, output, listed=True)
        elif found:
            emit(None, output, event_sheet(found, everywhere=not target.namespace))
        else:
            note(f"there are no events{f' in namespace {target.namespace}' if target.namespace else ''}")


def about_object(target: Target) -> str:
    """The field selector of the events about an object."""
    terms = {"kind": target.resource.kind, "name": target.name}
    if target.namespace:
        terms["namespace"] = target.namespace
    return ",".join(f"involvedObject.{field}={value}" for field, value in terms.items())


def list_events(
    connection: Connection, target: Target, query: Mapping[str, Any], wanted: frozenset[str] | None = None
) -> tuple[list[dict[str, Any]], str]:
    """The events in order, and the revision at which they were read."""
    found: list[dict[str, Any]] = []
    revision = ""
    for page in pages(connection, target, query, JSON):
        found += [{"apiVersion": "v1", "kind": "Event", **each} for each in page["items"] if _is_wanted(each, wanted)]
        revision = page["metadata"]["resourceVersion"]
    return in_order(found), revision


def _is_wanted(event: dict[str, Any], wanted: frozenset[str] | None) -> bool:
    return wanted is None or str(event.get("type", "")).lower() in wanted


def _watch(
    connection: Connection,
    target: Target,
    query: Mapping[str, Any],
    found: list[dict[str, Any]],
    revision: str,
    wanted: frozenset[str] | None,
    output: str,
) -> None:
    everywhere = not target.namespace
    lines = RunningTable()
    if output in _TABLES:
        rows = [event_row(each, everywhere=everywhere) for each in found]
        lines.header(event_header(everywhere=everywhere), rows)
    else:
        for each in found:
            print_one_of_many(each, output)
    sys.stdout.flush()
    for change in changes(connection, target, query, revision, JSON):
        if change["type"] == "DELETED" or not _is_wanted(change["object"], wanted):
            continue
        if output in _TABLES:
            lines.rows([event_row(change["object"], everywhere=everywhere)])
        else:
            print_one_of_many(change["object"], output)
        sys.stdout.flush()
