"""Objects as the latest commits left them: what is written again and again is not read from the file each time."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from bayplan.control.store import ChangeType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.control.store import Key, Stored
    from bayplan.stores.shelf import Entry, Write

_MOST = 1_024  # objects; the one that was not written for the longest time is forgotten first
_LONGEST = 16 * 1024  # bytes of one, so that all of them fit in 16 MiB


class RecentObjects:
    """What was committed and told, of objects that no write is under way for.

    While one is, its commit may be done and not yet told: the file alone knows the object then, and a reader must
    never be shown an older state than it saw before.
    """

    def __init__(self) -> None:
        self._stored: OrderedDict[Key, Stored] = OrderedDict()
        self._under_way: dict[Key, int] = {}

    def get(self, key: Key) -> Stored | None:
        """The object, if it is known here."""
        return self._stored.get(key)

    def begin(self, writes: Iterable[Write]) -> None:
        """Writes are queued."""
        for write in writes:
            key = write.key
            self._stored.pop(key, None)
            self._under_way[key] = self._under_way.get(key, 0) + 1

    def end(self, writes: Iterable[Write]) -> None:
        """Writes are committed or refused."""
        for write in writes:
            left = self._under_way.pop(write.key) - 1
            if left:
                self._under_way[write.key] = left

    def keep(self, entries: Iterable[Entry]) -> None:
        """Take the changes of a commit, after the end of its writes."""
        for key, change, *_ in entries:
            if change.type is ChangeType.DELETED:
                self._stored.pop(key, None)
            elif key not in self._under_way and len(change.stored.text) <= _LONGEST:
                self._stored[key] = change.stored
        while len(self._stored) > _MOST:
            self._stored.popitem(last=False)
