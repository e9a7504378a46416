"""`bayplan describe`: everything about some objects, with what happened to them."""

from __future__ import annotations

from base64 import b64decode
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bayplan.cli.errors import note, report
from bayplan.cli.objects.event_text import event_sheet
from bayplan.cli.objects.events import about_object, list_events
from bayplan.cli.objects.flags import AllNamespaces, Labels, Namespace
from bayplan.cli.objects.printing import shown_object
from bayplan.cli.objects.reading import pages
from bayplan.cli.objects.redaction import is_secret
from bayplan.cli.objects.targets import Target, targets_of
from bayplan.cli.output import Format, Part, Sheet, Title, Verbatim, as_yaml, emit
from bayplan.cli.server.connection import JSON, Connection, connect
from bayplan.cli.server.data_folder import DataFolder
from bayplan.cli.server.location import ServerAddress
from bayplan.cli.server.refusals import RefusedError
from bayplan.cli.text import columns, write
from bayplan.control.resources.ages import age
from bayplan.control.resources.registry import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.framework.errors import BayplanError

_HEAD = ("apiVersion", "kind", "metadata", "spec", "status")
_NONE = "<none>"


def describe(
    *words: Annotated[str, Parameter(help="KIND, KIND NAME…, or KIND/NAME….")],
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    selector: Labels = None,
    output: Format = "table",
    server: ServerAddress = None,
    data: DataFolder = None,
) -> int:
    """Show everything about some objects: metadata, spec, status, conditions and events.

    The data of Secrets is not shown, only how long it is. Exit code 1 if a named object does not exist.
    """
    targets = targets_of(words, namespace, everywhere=all_namespaces)
    found: list[dict[str, Any]] = []
    problems: list[BayplanError] = []
    with connect(server, data) as connection:
        for target in targets:
            try:
                found += _described(connection, target, selector)
            except RefusedError as error:
                problems.append(error)
    if output in ("json", "yaml"):
        if found:
            emit(found[0] if len(found) == 1 else {"kind": "List", "items": found}, output)
    else:
        for number, each in enumerate(found):
            write("\n\n" if number else "")
            emit(None, output, *_parts(each["object"], each["events"]))
    if not found and not problems:
        note("there is nothing to describe")
    for problem in problems:
        report(problem, as_json=output == "json")
    return 1 if problems else 0


def _described(connection: Connection, target: Target, selector: str | None) -> Iterator[dict[str, Any]]:
    """Each object with its events."""
    if target.name:
        objects = [connection.get(target.path, place=target.place)]
    else:
        query = {"labelSelector": selector}
        objects = [
            {"apiVersion": str(target.resource.storage), "kind": target.resource.kind, **each}
            for page in pages(connection, target, query, JSON)
            for each in page["items"]
        ]
    for each in objects:
        metadata = each["metadata"]
        one = target.named(metadata["name"], metadata.get("namespace", ""))
        events = Target(REGISTRY.resolve("events"), one.namespace)
        happened, _ = list_events(connection, events, {"fieldSelector": about_object(one)})
        yield {"object": shown_object(each) | _sizes(each), "events": happened}


def _sizes(document: dict[str, Any]) -> dict[str, Any]:
    """How long the values of a Secret are."""
    if not is_secret(document):
        return {}
    return {"data": {key: f"{len(b64decode(value))} bytes" for key, value in (document.get("data") or {}).items()}}


def _parts(document: dict[str, Any], events: list[dict[str, Any]]) -> Iterator[Part]:
    metadata = document["metadata"]
    yield Verbatim(columns(_head(document, metadata)).rstrip("\n"))
    for name in (*(key for key in document if key not in _HEAD), "spec", "status"):
        value = document.get(name)
        rest = {key: each for key, each in value.items() if key != "conditions"} if isinstance(value, dict) else value
        if rest not in (None, {}, []):
            yield from ("", Title(name.capitalize()), Verbatim(_indented(rest)))
    status = document.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    if isinstance(conditions, list) and conditions:
        yield from ("", Title("Conditions"), _conditions(conditions))
    yield from ("", Title("Events"), event_sheet(events) if events else _NONE)


def _head(document: dict[str, Any], metadata: dict[str, Any]) -> list[tuple[str, str]]:
    owners = [f"{each['kind']}/{each['name']}" for each in metadata.get("ownerReferences") or ()]
    rows = [("Name:", metadata["name"]), ("Namespace:", metadata.get("namespace", ""))]
    rows += [("Kind:", f"{document['kind']} ({document['apiVersion']})")]
    created = metadata.get("creationTimestamp")
    rows += [("Created:", f"{created} ({age(created, datetime.now(UTC))} ago)")]
    rows += _pairs("Labels:", metadata.get("labels")) + _pairs("Annotations:", metadata.get("annotations"))
    rows += [("Owned by:", ", ".join(owners)), ("Finalizers:", ", ".join(metadata.get("finalizers") or ()))]
    rows += [("Deleted:", metadata.get("deletionTimestamp", ""))]
    return [(label, text) for label, text in rows if text]


def _pairs(label: str, values: dict[str, str] | None) -> list[tuple[str, str]]:
    """One pair a line; the label stands beside the first."""
    if not values:
        return [(label, _NONE)]
    return [(label if not number else "", f"{key}={value}") for number, (key, value) in enumerate(values.items())]


def _indented(value: Any) -> str:
    text = "".join(as_yaml(value)).rstrip("\n")
    return "\n".join(f"  {line}" for line in text.split("\n"))


def _conditions(conditions: list[Any]) -> Sheet:
    now = datetime.now(UTC)
    rows = [
        (
            *(str(each.get(key) or "-") for key in ("type", "status", "reason", "message")),
            age(each.get("lastTransitionTime"), now),
        )
        for each in conditions
        if isinstance(each, dict)
    ]
    return Sheet(("TYPE", "STATUS", "REASON", "MESSAGE", "SINCE"), rows, sentences=("MESSAGE",))
