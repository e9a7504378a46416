"""Short lists that are asked for often, such as the PriorityClasses at every new Pod: kept until they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.control.store import Collection, Stored
    from bayplan.stores.shelf import Entry

_MOST_OBJECTS = 32  # of one list: longer ones are read from the shelf
_MOST_LISTS = 256  # all are forgotten then, so that hostile namespaces cannot fill the memory


class SmallLists:
    """Whole lists without a selection; they are true at the revision up to which changes have been noticed."""

    def __init__(self) -> None:
        self._lists: dict[tuple[Collection, str], tuple[Stored, ...]] = {}

    def notice(self, entries: Iterable[Entry]) -> None:
        """Forget what a commit changed."""
        if not self._lists:
            return
        for entry in entries:
            self._lists.pop((entry.key.collection, ""), None)
            self._lists.pop((entry.key.collection, entry.key.namespace), None)

    def get(self, collection: Collection, namespace: str) -> tuple[Stored, ...] | None:
        """The objects of a list that is kept."""
        return self._lists.get((collection, namespace))

    def keep(self, collection: Collection, namespace: str, items: tuple[Stored, ...]) -> None:
        """Keep a list, if it is short."""
        if len(items) <= _MOST_OBJECTS:
            if len(self._lists) >= _MOST_LISTS:
                self._lists.clear()
            self._lists[collection, namespace] = items
