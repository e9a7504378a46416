"""The store port with the rules of Kubernetes, over a shelf that keeps the revisions."""

from __future__ import annotations

import os
import secrets
import time
from typing import TYPE_CHECKING, Any

from bayplan.control import moments
from bayplan.control.store import Change, ChangeType, Deletion, Key, Page, Stored
from bayplan.control.store_errors import AlreadyExistsError, StaleError
from bayplan.stores import pages
from bayplan.stores.bindings import bound_pod, pod_of
from bayplan.stores.deletion import check_preconditions, deleted_object, is_namespace, may_go
from bayplan.stores.garbage import Garbage
from bayplan.stores.hub import Hub
from bayplan.stores.metadata import changed_object, check_expectation, invalid, metadata_of, new_object, same_document
from bayplan.stores.namespaces import FIRST_NAMESPACES, NAMESPACES, Namespaces, namespace_object, new_namespace
from bayplan.stores.refusals import missing
from bayplan.stores.shelf import Write, facts_of, text_of
from bayplan.stores.small_lists import SmallLists
from bayplan.stores.watch import Watch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from types import TracebackType

    from bayplan.control.selection import Selection
    from bayplan.control.store import Binding, Collection, Object
    from bayplan.stores.shelf import Entry, Shelf

MOST_RACES = 1_000
"""Tries of a patch before it gives up: every lost race is another writer's success, so this many mean a fault."""

_NAME_TRIES = 8  # as in Kubernetes: names after `generateName` that are taken
_LONGEST_PREFIX = 58  # as in Kubernetes: 63 characters of a label less the five that are drawn
_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # as in Kubernetes: no vowels, so no words come out


def random_suffix() -> str:
    """What follows `generateName`."""
    return "".join(secrets.choice(_SUFFIX_LETTERS) for _ in range(5))


def random_uid() -> str:
    """A name for one life of an object, never given again: a UUID of version 7.

    It begins with the time, so that new ones are neighbours in the index of a database; at random places of a large
    index, each would cost a page of its own.
    """
    moment, drawn = f"{time.time_ns() // 1_000_000:012x}", os.urandom(9).hex()
    return f"{moment[:8]}-{moment[8:]}-7{drawn[:3]}-8{drawn[3:6]}-{drawn[6:]}"


class EmbeddedStore:
    """Objects on a shelf, with everything that the Kubernetes API promises about them.

    Use it in an `async with`: that starts the collection of garbage and ends all watches.
    """

    def __init__(
        self,
        shelf: Shelf,
        *,
        clock: Callable[[], float] = time.time,
        uids: Callable[[], str] = random_uid,
        suffixes: Callable[[], str] = random_suffix,
        bookmark_s: float = 60.0,
    ) -> None:
        self._shelf = shelf
        self._clock = clock
        self._uids = uids
        self._suffixes = suffixes
        self._bookmark_s = bookmark_s
        self._hub = Hub(shelf.revision())
        self._namespaces = Namespaces(shelf)
        self._small_lists = SmallLists()
        self._garbage = Garbage(self, shelf)
        shelf.listen(self._committed)

    def _committed(self, entries: Sequence[Entry]) -> None:
        self._namespaces.notice(entries)
        self._small_lists.notice(entries)
        self._hub.publish(entries)
        self._garbage.notice(entries)

    async def __aenter__(self) -> EmbeddedStore:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Make the namespaces that every cluster has, and go on with deletions that an earlier process began."""
        for name in FIRST_NAMESPACES:
            if self._shelf.read(Key(NAMESPACES, "", name)) is None:
                await self.create(NAMESPACES, namespace_object(name))
        self._garbage.start()

    def end_watches(self) -> None:
        """End every watch at once; their clients come back to the next server."""
        self._hub.close()

    async def close(self) -> None:
        await self._garbage.stop()
        self._hub.close()
        await self._shelf.close()

    async def settled(self) -> None:
        """Until all cascading deletions have been done that can be done."""
        await self._garbage.settled()

    async def get(self, key: Key) -> Stored:
        return self._present(key)

    def _present(self, key: Key) -> Stored:
        stored = self._shelf.read(key)
        if stored is None:
            raise missing(key)
        return stored

    async def list(
        self,
        collection: Collection,
        namespace: str = "",
        selection: Selection | None = None,
        *,
        limit: int = 0,
        next: str = "",  # noqa: A002
        revision: int | None = None,
    ) -> Page:
        if limit or next or selection or revision is not None:
            at = self._shelf.revision() if revision is None else revision
            start = pages.place_of(next) if next else pages.beginning(at)
            return await pages.page(self._shelf, collection, namespace, selection, start, limit)
        return await self._whole(collection, namespace)

    async def _whole(self, collection: Collection, namespace: str) -> Page:
        """A list of everything; short ones are kept while all commits are noticed and none changes them."""
        at = self._shelf.revision()
        kept = self._small_lists.get(collection, namespace) if at == self._hub.revision else None
        if kept is not None:
            return Page(kept, at)
        page = await pages.page(self._shelf, collection, namespace, None, pages.beginning(at), 0)
        if at == self._hub.revision == self._shelf.revision():
            self._small_lists.keep(collection, namespace, page.items)
        return page

    async def create(self, collection: Collection, document: Object, *, dry_run: bool = False) -> Stored:
        metadata = metadata_of(document)
        if name := metadata.get("name"):
            return await self._create(collection, document, metadata, name, dry_run=dry_run)
        prefix = metadata.get("generateName")
        if not prefix or not isinstance(prefix, str):
            raise invalid("name", "an object needs a name", "write metadata.name or metadata.generateName")
        for tried in range(_NAME_TRIES):
            name = prefix[:_LONGEST_PREFIX] + self._suffixes()
            try:
                return await self._create(collection, document, metadata, name, dry_run=dry_run)
            except AlreadyExistsError:
                if tried == _NAME_TRIES - 1:
                    raise
        raise AssertionError  # the last try returns or raises

    async def _create(
        self, collection: Collection, document: Object, metadata: dict[str, Any], name: str, *, dry_run: bool
    ) -> Stored:
        namespace = metadata.get("namespace", "") if collection.namespaced else ""
        if collection.namespaced:
            if not namespace:
                raise invalid("namespace", f"{collection} are kept in namespaces", "write metadata.namespace")
            self._namespaces.check(collection, namespace)
        new = new_object(collection, document, name=name, uid=self._uids(), now=self._moment())
        if is_namespace(collection):
            new = new_namespace(new)
        return await self._write(Write(Key(collection, namespace, name), new), dry_run=dry_run)

    async def update(self, key: Key, document: Object, *, subresource: str = "", dry_run: bool = False) -> Stored:
        return await self.patch(key, lambda _: document, subresource=subresource, dry_run=dry_run, intact=True)

    async def patch(
        self,
        key: Key,
        change: Callable[[Object], Object],
        *,
        subresource: str = "",
        dry_run: bool = False,
        intact: bool = False,
    ) -> Stored:
        for _ in range(MOST_RACES):
            stored = self._present(key)
            old = stored.document()
            new = change(old if intact else stored.document())
            check_expectation(key, new, stored)
            changed = changed_object(key, old, new, subresource)
            if may_go(changed):
                write = Write(key, old, stored, facts_of(old), gone=True)
            elif same_document(old, changed):
                return stored
            else:
                write = Write(key, changed, stored, facts_of(old))
            try:
                return await self._write(write, dry_run=dry_run)
            except StaleError:
                continue
        raise StaleError(f"{MOST_RACES} other changes came first", place=str(key), next="try again")

    async def delete(self, key: Key, deletion: Deletion | None = None, *, dry_run: bool = False) -> Stored:
        wish = deletion or Deletion()
        for _ in range(MOST_RACES):
            stored = self._present(key)
            old = stored.document()
            check_preconditions(key, wish, stored, old)
            outcome = deleted_object(key, wish, old, self._moment)
            if not outcome.gone and same_document(old, outcome.document):
                return stored
            write = Write(key, outcome.document, stored, facts_of(old), gone=outcome.gone)
            try:
                return await self._write(write, dry_run=dry_run)
            except StaleError:
                continue
        raise StaleError(f"{MOST_RACES} other changes came first", place=str(key), next="try again")

    async def _write(self, write: Write, *, dry_run: bool) -> Stored:
        if not dry_run:
            return (await self._shelf.write((write,)))[0]
        if write.previous is None and self._shelf.read(write.key) is not None:
            raise AlreadyExistsError("already exists", place=str(write.key))
        return Stored(text_of(write.key, write.document), write.previous.revision if write.previous else 0)

    async def bind(self, bindings: Sequence[Binding]) -> int:
        pods = [pod_of(each) for each in bindings]
        if len(set(pods)) < len(pods):
            raise StaleError("a pod is named twice", place="bind", next="bind each pod once")
        for _ in range(MOST_RACES):
            writes = [self._bound(each) for each in bindings]
            try:
                written = await self._shelf.write(writes)
            except StaleError:
                continue
            return written[-1].revision if written else self._shelf.revision()
        raise StaleError(f"{MOST_RACES} other changes came first", place="bind", next="try again")

    def _bound(self, binding: Binding) -> Write:
        key = pod_of(binding)
        stored = self._present(key)
        old = stored.document()
        before = facts_of(old)
        return Write(key, bound_pod(key, binding, old, self._moment()), stored, before)

    async def watch(
        self,
        collection: Collection,
        namespace: str = "",
        selection: Selection | None = None,
        *,
        since: int | None = None,
        bookmarks: bool = False,
    ) -> AsyncIterator[Change]:
        many = self.watch_many(collection, namespace, selection, since=since, bookmarks=bookmarks)
        async for ready in many:
            for change in ready:
                yield change

    async def watch_many(
        self,
        collection: Collection,
        namespace: str = "",
        selection: Selection | None = None,
        *,
        since: int | None = None,
        bookmarks: bool = False,
    ) -> AsyncIterator[Sequence[Change]]:
        position = self._shelf.revision() if since is None else since
        if since is None:
            start = pages.beginning(position)
            async for row in pages.rows(self._shelf, collection, namespace, selection, start):
                yield (Change(ChangeType.ADDED, row.stored),)
        bookmark_s = self._bookmark_s if bookmarks else None
        watch = Watch(self._shelf, self._hub, collection, namespace, selection, position, bookmark_s)
        async for ready in watch.changes():
            yield ready

    def _moment(self, seconds_from_now: int = 0) -> str:
        return moments.written(self._clock() + seconds_from_now)
