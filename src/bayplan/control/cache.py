"""Objects as the store has them, kept up to date by watches: what the loops read instead of asking the store."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, NamedTuple

from bayplan.control.shared_parts import SharedParts
from bayplan.control.store import ChangeType, Key
from bayplan.control.store_errors import ExpiredError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bayplan.control.store import Change, Collection, Object, Readable, Stored

    Listener = Callable[["Seen"], None]

_TOGETHER = 500  # objects that are read before others have the event loop
_PAUSE_S = 1.0  # before a store that failed is asked again

_log = logging.getLogger("bayplan.control")


class Seen(NamedTuple):
    """One change: `old` is None where the object is new, `new` where it is gone."""

    key: Key
    old: Object | None
    new: Object | None


class Cache:
    """The objects of some collections. What it hands out is shared by all loops and by objects: never write to it.

    Listeners are called in the order of the changes of a collection, on the event loop, and must not block. After
    `start` has returned, the cache holds everything that was stored before, and listeners have heard of it as new.
    A listener that fails is told of further changes, and the others hear of all of them.
    """

    def __init__(self, store: Readable, collections: Iterable[Collection]) -> None:
        self._store = store
        self._objects: dict[Collection, dict[tuple[str, str], Object]] = {each: {} for each in collections}
        self._listeners: dict[Collection, list[Listener]] = {each: [] for each in self._objects}
        self._parts = SharedParts()
        self._watches: list[asyncio.Task[None]] = []
        self._mistake: Exception | None = None

    def listen(self, collection: Collection, listener: Listener) -> None:
        """Hear of every change of a collection; to be called before `start`."""
        self._listeners[collection].append(listener)

    def get(self, key: Key) -> Object | None:
        """The object; None where there is none."""
        return self._objects[key.collection].get((key.namespace, key.name))

    def all(self, collection: Collection, namespace: str = "") -> Iterator[Object]:
        """The objects of a namespace, of every namespace where it is empty."""
        for (where, _), document in self._objects[collection].items():
            if not namespace or where == namespace:
                yield document

    async def start(self) -> None:
        """Read everything, then follow."""
        for collection in self._objects:
            revision = await self._read(collection)
            self._watches.append(asyncio.create_task(self._follow(collection, revision), name=f"cache {collection}"))

    async def stop(self) -> None:
        """End the watches."""
        for each in self._watches:
            each.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
        self._watches.clear()

    @property
    def failed(self) -> BaseException | None:
        """The error that ended a watch, or the first error of a listener, which may have missed something."""
        ended = (each for each in self._watches if each.done() and not each.cancelled())
        return next((error for each in ended if (error := each.exception()) is not None), self._mistake)

    async def _read(self, collection: Collection) -> int:
        """Read the whole collection, and tell what differs from what was known."""
        page = await self._store.list(collection)
        found: dict[tuple[str, str], Object] = {}
        for number, each in enumerate(page.items):
            document = self._document(each)
            found[_place(document)] = document
            if number % _TOGETHER == _TOGETHER - 1:
                await asyncio.sleep(0)
        for place in [each for each in self._objects[collection] if each not in found]:
            self._forget(collection, place)
        for place, document in found.items():
            self._know(collection, place, document)
        return page.revision

    async def _follow(self, collection: Collection, revision: int) -> None:
        while True:
            try:
                async for changes in self._store.watch_many(collection, since=revision):
                    revision = self._take(collection, changes)
            except ExpiredError:
                revision = await self._read_again(collection)
            except StoreError as error:
                _log.warning("the watch of %s failed, and begins anew: %s", collection, error)
                await asyncio.sleep(_PAUSE_S)
                revision = await self._read_again(collection)
            else:
                return  # the store ends its watches when it is closed

    async def _read_again(self, collection: Collection) -> int:
        while True:
            try:
                return await self._read(collection)
            except StoreError as error:
                _log.warning("%s cannot be read now: %s", collection, error)
                await asyncio.sleep(_PAUSE_S)

    def _take(self, collection: Collection, changes: Sequence[Change]) -> int:
        for change in changes:
            if change.type is ChangeType.BOOKMARK:
                continue
            document = self._document(change.stored)
            if change.type is ChangeType.DELETED:
                self._forget(collection, _place(document))
            else:
                self._know(collection, _place(document), document)
        return changes[-1].stored.revision

    def _know(self, collection: Collection, place: tuple[str, str], document: Object) -> None:
        objects = self._objects[collection]
        old = objects.get(place)
        if old is not None and _revision(document) <= _revision(old):
            return  # told twice, or late
        objects[place] = document
        if old is not None and old["metadata"]["uid"] != document["metadata"]["uid"]:
            self._tell(Seen(Key(collection, *place), old, None))  # another object of the same name
            old = None
        self._tell(Seen(Key(collection, *place), old, document))

    def _forget(self, collection: Collection, place: tuple[str, str]) -> None:
        old = self._objects[collection].pop(place, None)
        if old is not None:
            self._tell(Seen(Key(collection, *place), old, None))

    def _document(self, stored: Stored) -> Object:
        return self._parts.kept(stored.document())

    def _tell(self, seen: Seen) -> None:
        for listener in self._listeners[seen.key.collection]:
            try:
                listener(seen)
            except Exception as error:
                _log.exception("a listener fails on %s", seen.key)
                self._mistake = self._mistake or error


def _revision(document: Object) -> int:
    return int(document["metadata"]["resourceVersion"])


def _place(document: Object) -> tuple[str, str]:
    metadata = document["metadata"]
    return metadata.get("namespace", ""), metadata["name"]
