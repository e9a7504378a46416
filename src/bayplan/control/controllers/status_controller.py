"""Keeps the statuses of one kind: works them out when something changes, and writes the ones that differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.control.controllers.paced_keys import PacedKeys
from bayplan.control.store_errors import StaleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Seen
    from bayplan.control.controllers.world import World
    from bayplan.control.store import Collection, Key, Object


def _never(document: Object, now: float) -> float | None:
    return None


@dataclass(frozen=True, slots=True)
class StatusKind:
    """How the status of a kind is worked out from an object and the time.

    `later` says after how many seconds time alone may change it. `wrote` hears of every status that was written.
    """

    collection: Collection
    status: Callable[[Object, float], Object]
    later: Callable[[Object, float], float | None] = _never
    wrote: Callable[[Object, Object], None] | None = None


class StatusController:
    """The loop for one kind; a caller that knows of a change calls `add`."""

    def __init__(self, kind: StatusKind, world: World) -> None:
        self._kind, self._store, self._cache, self._clock = kind, world.store, world.cache, world.clock
        self._keys = PacedKeys(f"status of {kind.collection}", self._reconcile, observer=world.observer)
        world.cache.listen(kind.collection, self._seen)
        self.add = self._keys.add

    def start(self) -> None:
        self._keys.start()

    async def stop(self) -> None:
        await self._keys.stop()

    async def settled(self) -> None:
        await self._keys.settled()

    def _seen(self, seen: Seen) -> None:
        if seen.new is not None:
            self._keys.add(seen.key)

    async def _reconcile(self, key: Key) -> float | None:
        document = self._cache.get(key)
        if document is None:
            return None
        now = self._clock()
        new = self._kind.status(document, now)
        if new != (document.get("status") or {}):
            await self._write(key, document, now)
        return self._kind.later(document, now)

    async def _write(self, key: Key, seen: Object, now: float) -> None:
        """Work it out once more on the object as it is now: a status must never be of an older wish than it says."""

        def change(live: Object) -> Object:
            if live["metadata"]["uid"] != seen["metadata"]["uid"]:
                raise StaleError("another object has this name now", place=str(key))
            return {**live, "status": self._kind.status(live, now)}

        self._keys.wrote(key)
        written = await self._store.patch(key, change, subresource="status")
        if self._kind.wrote is not None:
            self._kind.wrote(seen, written.document())
