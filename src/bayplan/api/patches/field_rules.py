"""How the fields of a kind are merged: which lists are maps by key, sets or single values, and which maps are."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ListType(StrEnum):
    """How the owner of a list's items is recorded, in the words of `x-kubernetes-list-type`."""

    ATOMIC = "atomic"
    SET = "set"
    MAP = "map"


@dataclass(slots=True, eq=False, repr=False)  # rules of a type that holds itself have no end
class FieldRules:
    """The rules of one place in a kind: of a map's fields and values, or of a list's items.

    A place of which nothing is known has the rules UNTYPED: maps are merged key by key and lists are single values.
    """

    fields: dict[str, FieldRules] = field(default_factory=dict)  # the fields that the schema names
    values: FieldRules | None = None  # of all other keys; None: nothing is known of them
    items: FieldRules | None = None
    atomic: bool = False  # a map that has one owner as a whole
    list_type: ListType = ListType.ATOMIC
    keys: tuple[str, ...] = ()  # of a list that is a map, in alphabetical order
    defaults: dict[str, Any] = field(default_factory=dict)  # of keys that an item may leave out
    merge_key: str = ""  # of a strategic merge patch; it may name one key where the list has two
    merged: bool = False  # whether a strategic merge patch merges the list instead of replacing it
    replaced: bool = False  # whether it replaces the map instead of merging it

    def of_field(self, name: str) -> FieldRules:
        """The rules of a map's field or value."""
        return self.fields.get(name) or self.values or UNTYPED

    def of_items(self) -> FieldRules:
        """The rules of a list's items."""
        return self.items or UNTYPED

    def below(self, element: str) -> FieldRules:
        """The rules below an element of a field set: `f:NAME`, `k:{…}` or another."""
        if element.startswith("f:"):
            return self.of_field(element[2:])
        return self.of_items() if element.startswith("k:") else UNTYPED


UNTYPED = FieldRules()
