"""A watch: every change of a collection after a revision, in order and once, as the selection sees it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from bayplan.control.store import Change, ChangeType, Stored
from bayplan.stores.refusals import expired

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from bayplan.control.selection import Selection
    from bayplan.control.store import Collection
    from bayplan.stores.hub import Hub
    from bayplan.stores.shelf import Entry, Shelf

_LOG_STEP = 500  # changes read from the shelf at once, so that the event loop is not held up


@dataclass(slots=True)
class Watch:
    """One watcher's position in the changes of a collection."""

    shelf: Shelf
    hub: Hub
    collection: Collection
    namespace: str
    selection: Selection | None
    position: int
    bookmark_s: float | None

    async def changes(self) -> AsyncIterator[Sequence[Change]]:
        """The changes after the position, all at once that are ready, for as long as the store is open."""
        if self.position > self.shelf.revision():
            raise expired(self.position, 0, self.shelf.revision())
        loop = asyncio.get_running_loop()
        due = None if self.bookmark_s is None else loop.time() + self.bookmark_s
        while not self.hub.closed:
            entries = self._next()
            if ready := [change for entry in entries if (change := self._seen(entry))]:
                yield ready
            if due is not None and self.bookmark_s is not None and loop.time() >= due:
                due = loop.time() + self.bookmark_s
                yield (Change(ChangeType.BOOKMARK, Stored(b"", self.position)),)
            if not entries:
                await self.hub.wait(self.collection, due)

    def _next(self) -> Sequence[Entry]:
        """What comes after the position, which moves behind it; empty where there is nothing new."""
        entries = self.hub.after(self.collection, self.position)
        if entries is not None:
            self.position = max(self.position, self.hub.revision)
            return entries
        known = self.shelf.revision()  # before the changes are read: later ones may be missing from them
        entries = self.shelf.changes(self.collection, self.position, _LOG_STEP)
        last = entries[-1].revision if entries else 0
        self.position = last if len(entries) == _LOG_STEP else max(self.position, known, last)
        return entries

    def _seen(self, entry: Entry) -> Change | None:
        """The change as this watcher sees it: an object that enters the selection is ADDED, one that leaves DELETED."""
        if self.namespace and entry.key.namespace != self.namespace:
            return None
        if not self.selection:
            return entry.change
        was = entry.previous is not None and self.selection.matches(entry.previous.document())
        now = entry.change.type is not ChangeType.DELETED and self.selection.matches(entry.change.stored.document())
        if now:
            return entry.change if was == (entry.change.type is ChangeType.MODIFIED) else _as(entry, ChangeType.ADDED)
        return _left(entry) if was else None


def _as(entry: Entry, kind: ChangeType) -> Change:
    return Change(kind, entry.change.stored)


def _left(entry: Entry) -> Change:
    """As in Kubernetes: the object as it was when it was last in the selection, with the revision of the change."""
    if entry.change.type is ChangeType.DELETED or entry.previous is None:
        return entry.change
    document = entry.previous.document()
    document["metadata"]["resourceVersion"] = str(entry.revision)
    return Change(ChangeType.DELETED, Stored(orjson.dumps(document), entry.revision))
