"""Events as rows for people: when, how bad, why, about what, and the message."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bayplan.cli.output import Sheet
from bayplan.control.resources.ages import age, moment

if TYPE_CHECKING:
    from collections.abc import Iterable

HEADER = ("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE")
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def event_sheet(events: Iterable[dict[str, Any]], *, everywhere: bool = False) -> Sheet:
    """The events, the oldest first."""
    rows = [event_row(each, everywhere=everywhere) for each in in_order(events)]
    return Sheet(event_header(everywhere=everywhere), rows, sentences=("MESSAGE",), spare=(("TYPE",),))


def event_header(*, everywhere: bool) -> tuple[str, ...]:
    """The names of the columns."""
    return ("NAMESPACE", *HEADER) if everywhere else HEADER


def event_row(event: dict[str, Any], *, everywhere: bool) -> tuple[str, ...]:
    """One event; how often it happened stands behind its age."""
    count = event.get("count") or (event.get("series") or {}).get("count") or 1
    often = f" (x{count})" if count > 1 else ""
    about = event.get("involvedObject") or {}
    row = (
        age(last_seen(event), datetime.now(UTC)) + often,
        str(event.get("type") or "-"),
        str(event.get("reason") or "-"),
        f"{str(about.get('kind', '')).lower()}/{about.get('name', '')}",
        str(event.get("message") or "-"),
    )
    return (str(event["metadata"].get("namespace", "")), *row) if everywhere else row


def in_order(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """By the time at which they were last seen."""
    return sorted(events, key=lambda each: moment(last_seen(each)) or _LONG_AGO)


def last_seen(event: dict[str, Any]) -> Any:
    """The last time; old and new clients write it into different fields."""
    series = event.get("series") or {}
    for said in (series.get("lastObservedTime"), event.get("lastTimestamp"), event.get("eventTime")):
        if said:
            return said
    return event["metadata"].get("creationTimestamp")
