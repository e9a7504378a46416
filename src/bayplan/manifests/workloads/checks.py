"""Checks of fields that placement does not use: a table of names, and what each may hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.values import Parse

Check = Callable[["Fields", str], object]
Table = Mapping[str, Check]


def check(fields: Fields, table: Table) -> None:
    """Looks at every field of the table; what it does not name stays unread."""
    for key, look in table.items():
        look(fields, key)


def check_unused(fields: Fields, table: Table, reason: str) -> None:
    """Look at every field of the table, and record the present ones as ignored."""
    check(fields, table)
    fields.leave(*table, reason=reason)


def one(parse: Parse[Any]) -> Check:
    """A single value."""
    return lambda fields, key: fields.read(key, parse)


def needed(parse: Parse[Any]) -> Check:
    """A single value that must be there."""
    return lambda fields, key: fields.need(key, parse, None)


def expected(parse: Parse[Any]) -> Check:
    """A single value that the dialect asks for and its own guides leave out: its absence is only told."""

    def look(fields: Fields, key: str) -> None:
        if fields.raw(key) is None:
            fields.warn("is missing", key, next="give it: this format requires it")
        fields.read(key, parse)

    return look


def unheeded(parse: Parse[Any]) -> Check:
    """A single value that asks something of placement which no plan does: better told than passed over."""

    def look(fields: Fields, key: str) -> None:
        found = fields.read(key, parse)
        if found is not None and found is not False:
            fields.warn_ignored(key, "is read, but has no effect on plans")

    return look


def several(parse: Parse[Any]) -> Check:
    """A list of values."""
    return lambda fields, key: fields.each(key, parse)


def named(parse: Parse[Any]) -> Check:
    """Names that the writer chose, each with a value."""
    return lambda fields, key: fields.mapping(key, parse)


def inside(table: Table) -> Check:
    """A mapping with these fields."""

    def look(fields: Fields, key: str) -> None:
        if key in fields:
            _whole(fields.child(key), table)
        else:
            fields.ignore(key)

    return look


def rows(table: Table) -> Check:
    """A list of mappings with these fields."""

    def look(fields: Fields, key: str) -> None:
        for each in fields.children(key):
            _whole(each, table)

    return look


def anything(fields: Fields, key: str) -> None:
    """A value of any kind; its content is not checked."""
    fields.ignore(key)


def _whole(fields: Fields, table: Table) -> None:
    check(fields, table)
    fields.finish()
