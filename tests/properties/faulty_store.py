"""A store whose watches and writes fail as networks and crashes make them fail; what it stores is stored."""

from bayplan.control.store_errors import ExpiredError, StaleError, StoreFailedError

_WRITES = ("create", "update", "patch", "delete")


class FaultyStore:
    """Hands everything on to a store. `chance()` in [0, 1) decides about each fault; 1 or more: no faults."""

    def __init__(self, store, chance, bound=lambda bindings: None, is_full=lambda: False):
        """`bound` hears of every bind that happened; while the disk `is_full`, nothing is written."""
        self._store, self._chance, self._bound, self._is_full = store, chance, bound, is_full

    def __getattr__(self, name):
        if name in _WRITES and self._is_full():
            return self._refused
        return getattr(self._store, name)

    async def _refused(self, *_, **__):
        raise StoreFailedError("the disk is full", place="store", next="free some space")

    async def bind(self, bindings):
        """A bind may be refused although it could have happened, or its answer may be lost after it happened."""
        if self._is_full():
            await self._refused()
        drawn = self._chance()
        if drawn < 0.05:
            raise StaleError("another writer was first", place="bind")
        revision = await self._store.bind(bindings)
        self._bound(bindings)
        if drawn < 0.1:
            raise StaleError("the answer was lost", place="bind")
        return revision

    async def watch_many(self, *given, **options):
        """Changes come late, twice, or not at all; then the watch ends with 410, and everything is listed again."""
        late = []
        async for changes in self._store.watch_many(*given, **options):
            drawn = self._chance()
            if drawn < 0.05:
                raise ExpiredError("this watcher is too late", place="watch")
            if drawn < 0.1:
                late.extend(changes)
                continue
            ready, late = [*late, *changes], []
            if drawn < 0.2:
                yield ready
            yield ready
