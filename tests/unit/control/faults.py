"""Stores that fail, or tell late, where a test says so; everything else is handed on to a real one."""

import asyncio

from bayplan.control.store_errors import ExpiredError

_VERBS = {"create", "patch", "delete", "bind", "list", "get"}


class FailingStore:
    """`fail(verb, given)` is called before each call is handed on, and may raise."""

    def __init__(self, store, fail=lambda verb, given: None):
        self._store, self.fail = store, fail

    def __getattr__(self, name):
        verb = getattr(self._store, name)
        if name not in _VERBS:
            return verb

        async def call(*given, **options):
            self.fail(name, given)
            return await verb(*given, **options)

        return call


class LateStore:
    """Watches of one collection stop when `hold` is called; then they go on one change at a time, or begin anew."""

    def __init__(self, store, collection):
        self._store, self._collection = store, collection
        self._goes, self._expired = asyncio.Event(), False
        self._goes.set()

    def __getattr__(self, name):
        return getattr(self._store, name)

    def hold(self):
        self._goes.clear()

    def go_on(self):
        self._goes.set()

    def expire(self):
        """What was held is never told: the watch ends, and its watcher reads everything again."""
        self._expired = True
        self._goes.set()

    async def watch_many(self, collection, *given, **options):
        async for changes in self._store.watch_many(collection, *given, **options):
            if collection != self._collection:
                yield changes
                continue
            for each in changes:
                await self._goes.wait()
                if self._expired:
                    self._expired = False
                    raise ExpiredError("this watcher is too late", place="watch")
                yield [each]
                await asyncio.sleep(0.05)
