"""Objects of one collection by the object that controls them, with what was just written."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from bayplan.control.controllers.references import controller_reference, owner_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.store import Collection, Key, Object


class OwnedObjects:
    """The index. `put` tells it of a write before the cache does; older news are passed over."""

    def __init__(self, cache: Cache, collection: Collection) -> None:
        self._by_owner: defaultdict[str, dict[tuple[str, str], Object]] = defaultdict(dict)
        self._owner: dict[tuple[str, str], str] = {}
        self._orphans: dict[tuple[str, str], Object] = {}
        self._listeners: list[Callable[[Key], None]] = []
        self._orphan_listeners: list[Callable[[Object], None]] = []
        cache.listen(collection, self._seen)

    def of(self, uid: str) -> list[Object]:
        """The objects of an owner, in the order in which they were first seen."""
        return list(self._by_owner.get(uid, {}).values())

    def orphans(self, namespace: str) -> list[Object]:
        """Objects that nothing controls."""
        return [each for (where, _), each in self._orphans.items() if where == namespace]

    def listen(self, wake: Callable[[Key], None]) -> None:
        """Hear of the owners of objects that changed."""
        self._listeners.append(wake)

    def listen_to_orphans(self, tell: Callable[[Object], None]) -> None:
        """Hear of objects that nothing controls."""
        self._orphan_listeners.append(tell)

    def put(self, document: Object) -> None:
        """The object as it was just written."""
        place, owner = _place(document), controller_reference(document)
        known = self._known(place)
        if known is not None and _revision(known) > _revision(document):
            return
        self._drop(place)
        if owner is None:
            self._orphans[place] = document
        else:
            self._by_owner[owner["uid"]][place] = document
            self._owner[place] = owner["uid"]

    def _seen(self, seen: Seen) -> None:
        if seen.new is None:
            self._drop((seen.key.namespace, seen.key.name))
        else:
            self.put(seen.new)
        owners = {}
        for each in (seen.old, seen.new):
            if each is not None and (owner := controller_reference(each)) is not None:
                owners[owner["uid"]] = owner
        for owner in owners.values():
            if (key := owner_key(owner, seen.key.namespace)) is not None:
                for wake in self._listeners:
                    wake(key)
        if seen.new is not None and controller_reference(seen.new) is None:
            for tell in self._orphan_listeners:
                tell(seen.new)

    def _known(self, place: tuple[str, str]) -> Object | None:
        uid = self._owner.get(place)
        return self._orphans.get(place) if uid is None else self._by_owner[uid].get(place)

    def _drop(self, place: tuple[str, str]) -> None:
        self._orphans.pop(place, None)
        if (uid := self._owner.pop(place, None)) is not None:
            del self._by_owner[uid][place]
            if not self._by_owner[uid]:
                del self._by_owner[uid]


def _place(document: Object) -> tuple[str, str]:
    metadata = document["metadata"]
    return metadata.get("namespace", ""), metadata["name"]


def _revision(document: Object) -> int:
    return int(document["metadata"]["resourceVersion"])
