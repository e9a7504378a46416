"""Which events could cure a refusal: what a filter names, or what follows from the columns that it reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import PluginError
from bayplan.framework.plugins import Depends

if TYPE_CHECKING:
    from collections.abc import Hashable

    from bayplan.framework.evaluation.binding import Binding, Bound

ROW_ADDED = "row-added"
CLOCK = "clock"
EVENT_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""Kebab-case, as all names in documents."""


def column_event(column: str) -> str:
    """The event that a column, or a value that all rows share, has changed."""
    return f"{column.replace('_', '-')}-changed"


def cures_of(use: Bound, ask: Hashable, binding: Binding) -> tuple[str, ...]:
    """The events that could cure a refusal of this filter."""
    named = getattr(use.plugin, "cured_by", None)
    if named is None:
        return derived_cures(use, binding)
    events: Any = named(ask) if callable(named) else named
    if not isinstance(events, tuple) or not all(_is_name(each) for each in events):
        step = "return a tuple of names in kebab-case, as in ('booking-removed',)"
        raise PluginError(use.name, f"is cured by {events!r}, which are no names of events", next=step)
    return events


def derived_cures(use: Bound, binding: Binding) -> tuple[str, ...]:
    """What follows from what a filter reads: a change of one of these columns, a new row, and for the filters that look
    at the cycle also time. What else such a filter looks at is not known: it should name its events itself.
    """
    makers = {name: each for each in binding.producers for name in each.plugin.produces}
    read = list(dict.fromkeys(use.reads))
    for name in read:  # grows by what the makers of its columns read
        if name in makers:
            read.extend(each for each in makers[name].reads if each not in read)
    events = [ROW_ADDED, *(column_event(name) for name in read if name not in makers)]
    return (*events, CLOCK) if use.depends >= Depends.CYCLE else tuple(events)


def _is_name(event: Any) -> bool:
    return isinstance(event, str) and EVENT_NAME.fullmatch(event) is not None
