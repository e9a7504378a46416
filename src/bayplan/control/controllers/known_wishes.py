"""Wishes that were worked out already: an object is read again only when it, or what it refers to, has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.collections import PRIORITY_CLASSES
from bayplan.control.controllers.wish import Wish
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from bayplan.control.cache import Cache
    from bayplan.control.store import Object

_MOST = 20_000
"""Owners in memory; past that everything is read again, which is slow and not wrong."""


class KnownWishes:
    """Wishes by the uid of their object."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._known: dict[str, tuple[Hashable, Wish]] = {}

    def of(self, owner: Object, make: Callable[[Object], Wish], *others: Hashable) -> Wish:
        """The wish of an object; `others` are what else it depends on. One that cannot be read wishes for nothing."""
        metadata: dict[str, Any] = owner["metadata"]
        state = (metadata.get("generation"), self._priorities(), *others)
        known = self._known.get(metadata["uid"])
        if known is not None and known[0] == state:
            return known[1]
        try:
            wish = make(owner)
        except InputError as error:
            wish = Wish(problem=str(error))
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[metadata["uid"]] = state, wish
        return wish

    def _priorities(self) -> Hashable:
        classes = self._cache.all(PRIORITY_CLASSES)
        return tuple(each["metadata"]["resourceVersion"] for each in classes)
