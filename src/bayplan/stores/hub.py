"""The latest committed changes of each collection, for watchers that keep up; older ones are read from the shelf."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.control.store import Collection
    from bayplan.stores.shelf import Entry

MOST_RECENT = 2_000
"""Changes kept for each collection: a watcher that is further behind reads them from the shelf."""

MOST_BYTES = 16 * 2**20
"""Bytes of the objects in these changes, so that large objects do not fill the memory."""


class _Recent:
    """All changes of one collection after `floor`."""

    __slots__ = ("entries", "floor", "revisions", "size")

    def __init__(self, floor: int) -> None:
        self.floor = floor
        self.size = 0
        self.revisions: list[int] = []
        self.entries: list[Entry] = []

    def append(self, entry: Entry) -> None:
        self.revisions.append(entry.revision)
        self.entries.append(entry)
        self.size += len(entry.change.stored.text)
        if len(self.entries) > 2 * MOST_RECENT or (self.size > 2 * MOST_BYTES and len(self.entries) > 1):
            self._halve()

    def _halve(self) -> None:
        """Dropping one by one from the front of a list would cost its length each time."""
        half = len(self.entries) // 2
        self.floor = self.revisions[half - 1]
        self.size -= sum(len(entry.change.stored.text) for entry in self.entries[:half])
        del self.entries[:half], self.revisions[:half]


class Hub:
    """Watchers pull: each has a position and asks for what came after it, so a slow one costs no memory."""

    def __init__(self, revision: int) -> None:
        self._start = revision
        self.revision = revision
        """Every change up to here has been published."""
        self.closed = False
        self._recent: dict[Collection, _Recent] = {}
        self._waiting: dict[Collection, set[asyncio.Future[None]]] = {}

    def publish(self, entries: Sequence[Entry]) -> None:
        """Take the changes of a commit, in order, and wake the watchers of their collections."""
        touched = set()
        for entry in entries:
            collection = entry.key.collection
            recent = self._recent.get(collection)
            if recent is None:
                recent = self._recent[collection] = _Recent(self._start)
            recent.append(entry)
            touched.add(collection)
        self.revision = entries[-1].revision
        for collection in touched:
            self._wake(collection)

    def _wake(self, collection: Collection) -> None:
        for waiting in self._waiting.pop(collection, ()):
            if not waiting.done():
                waiting.set_result(None)

    def after(self, collection: Collection, position: int) -> Sequence[Entry] | None:
        """What was published after a position; None where that is no longer kept here."""
        recent = self._recent.get(collection)
        if recent is None:
            return () if position >= self._start else None
        if position < recent.floor:
            return None
        return recent.entries[bisect_right(recent.revisions, position) :]

    async def wait(self, collection: Collection, until: float | None) -> None:
        """Until something is published in the collection, or the loop's clock reaches `until`."""
        loop = asyncio.get_running_loop()
        waiting = loop.create_future()
        self._waiting.setdefault(collection, set()).add(waiting)
        alarm = loop.call_at(until, _ring, waiting) if until is not None else None
        try:
            await waiting
        finally:
            self._waiting.get(collection, set()).discard(waiting)
            if alarm is not None:
                alarm.cancel()

    def close(self) -> None:
        """End every watch."""
        self.closed = True
        for collection in tuple(self._waiting):
            self._wake(collection)


def _ring(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)
