"""Cascading deletion: objects whose owners are gone, owners that wait for what they own, namespaces that end.

What is to be done follows from the stored objects alone, so a crash loses nothing: it is found again at the start.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from bayplan.control.store import ChangeType, Deletion, Key, Propagation
from bayplan.control.store_errors import NotFoundError, StaleError, StoreFailedError
from bayplan.stores.deletion import FOREGROUND_FINALIZER, ORPHAN_FINALIZER, finalizers_of, is_namespace
from bayplan.stores.namespaces import NAMESPACES
from bayplan.stores.shelf import facts_of, is_owner

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

    from bayplan.control.store import Object, Store
    from bayplan.stores.shelf import Entry, Reference, Shelf

_DELETED = b'"deletionTimestamp"'
_AT_ONCE = 256  # deletions under way at the same time: they share commits
_AGAIN_S = 1.0  # pause after the store could not write, for example because the disk is full


class _Owners(NamedTuple):
    """The references of an object by the state of the owner."""

    present: list[Reference]
    gone: list[Reference]
    waiting: list[Reference]


class Garbage:
    """Does after each commit what the commit makes necessary, one object after the other."""

    def __init__(self, store: Store, shelf: Shelf) -> None:
        self._store = store
        self._shelf = shelf
        self._due: dict[Key, None] = {}
        self._ending: set[str] = set()  # namespaces that are being deleted
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Find what an earlier process left undone, and go on from there."""
        deleting = self._shelf.deleting()
        self._ending |= {key.name for key in deleting if is_namespace(key.collection)}
        self._add((*self._shelf.strays(), *deleting))
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def settled(self) -> None:
        """Until nothing is left to do."""
        while self._due or not self._idle.is_set():
            await self._idle.wait()
            await asyncio.sleep(0)

    def notice(self, entries: Sequence[Entry]) -> None:
        """Look at the objects that a commit touches."""
        for entry in entries:
            facts = entry.facts
            if facts is None:
                continue
            if entry.change.type is ChangeType.DELETED:
                self._add(self._shelf.dependents(facts.uid))
                self._add(filter(None, map(self._shelf.find, facts.owners)))
                if entry.key.namespace in self._ending:
                    self._add((Key(NAMESPACES, "", entry.key.namespace),))
            elif facts.deleting or facts.references != (entry.before.references if entry.before else ()):
                self._add((entry.key,))
                if entry.before:  # an owner may wait for what this change took away
                    self._add(filter(None, map(self._shelf.find, entry.before.owners)))
            self._notice_namespace(entry)

    def _notice_namespace(self, entry: Entry) -> None:
        if is_namespace(entry.key.collection) and entry.facts and entry.facts.deleting:
            self._ending.add(entry.key.name)
            if entry.change.type is ChangeType.DELETED:
                self._ending.discard(entry.key.name)

    def _add(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self._due[key] = None
            self._idle.clear()
            self._wake.set()

    async def _run(self) -> None:
        while True:
            if not self._due:
                self._wake.clear()
                self._idle.set()
                await self._wake.wait()
            batch = tuple(self._due)[:_AT_ONCE]
            for key in batch:
                del self._due[key]
            # What becomes of an object depends on whether its owners wait: they come first, so that it is not decided
            # on a state that they are about to change.
            ending = dict.fromkeys(key for key in batch if self._is_ending(key))
            await asyncio.gather(*map(self._attend, ending))
            await asyncio.gather(*(self._attend(key) for key in batch if key not in ending))

    async def _attend(self, key: Key) -> None:
        try:
            await self._look(key)
        except NotFoundError:
            return  # it went away by itself
        except StaleError:
            self._add((key,))
        except StoreFailedError:
            await asyncio.sleep(_AGAIN_S)
            self._add((key,))

    async def _look(self, key: Key) -> None:
        document = (await self._store.get(key)).document()
        if "deletionTimestamp" not in document["metadata"]:
            return await self._look_at_owners(key, document)
        finalizers = finalizers_of(document)
        if ORPHAN_FINALIZER in finalizers:
            await self._orphan(key, document["metadata"]["uid"])
        elif FOREGROUND_FINALIZER in finalizers:
            await self._wait_for_dependents(key, document["metadata"]["uid"])
        elif is_namespace(key.collection):
            await self._empty(key)
        return None

    async def _look_at_owners(self, key: Key, document: Object) -> None:
        """Delete an object that has no owner left; drop references to owners that are gone where one is left."""
        owners = self._owners(key, document)
        if not owners.gone and not owners.waiting:
            return
        uid = document["metadata"]["uid"]
        if owners.present:
            lost = {each.uid for each in (*owners.gone, *owners.waiting)}
            await self._store.patch(key, lambda latest: _without_owners(latest, lost))
        elif owners.waiting and self._shelf.dependents(uid):
            await self._store.delete(key, Deletion(Propagation.FOREGROUND, uid=uid))
        else:
            await self._store.delete(key, Deletion(_propagation(document), uid=uid))

    def _owners(self, key: Key, document: Object) -> _Owners:
        owners = _Owners([], [], [])
        for reference in facts_of(document).references:
            owner = self._shelf.find(reference.uid)
            if owner is None or not is_owner(owner, reference, key):
                owners.gone.append(reference)
            else:
                (owners.waiting if self._waits(owner) else owners.present).append(reference)
        return owners

    def _waits(self, key: Key) -> bool:
        """Whether an object is being deleted and waits for what it owns."""
        document = self._ending_document(key)
        return document is not None and FOREGROUND_FINALIZER in finalizers_of(document)

    def _is_ending(self, key: Key) -> bool:
        return self._ending_document(key) is not None

    def _ending_document(self, key: Key) -> Object | None:
        """The object, if it is being deleted."""
        stored = self._shelf.read(key)
        if stored is None or _DELETED not in stored.text:  # read fully only then: a Cluster may own thousands of Nodes
            return None
        document = stored.document()
        return document if "deletionTimestamp" in document["metadata"] else None

    async def _orphan(self, key: Key, uid: str) -> None:
        """Make the dependents independent, then let the owner go."""
        await self._each(
            self._shelf.dependents(uid),
            lambda each: self._store.patch(each, lambda latest: _without_owners(latest, {uid})),
        )
        await self._store.patch(key, lambda latest: _without_finalizer(latest, ORPHAN_FINALIZER))

    async def _wait_for_dependents(self, key: Key, uid: str) -> None:
        """Delete the dependents; the owner goes when none of them blocks it any more."""
        dependents = [(each, stored) for each in self._shelf.dependents(uid) if (stored := self._shelf.read(each))]
        self._add(each for each, stored in dependents if "deletionTimestamp" not in stored.document()["metadata"])
        if all(self._waits_for(document, uid) for document in self._blockers(uid)):
            await self._store.patch(key, lambda latest: _without_finalizer(latest, FOREGROUND_FINALIZER))

    def _blockers(self, uid: str) -> Iterator[Object]:
        """The dependents for which an owner waits."""
        for key in self._shelf.dependents(uid):
            stored = self._shelf.read(key)
            if stored and _blocks(document := stored.document(), uid):
                yield document

    def _waits_for(self, document: Object, uid: str) -> bool:
        """Whether an object only waits, and in a circle for the one of that uid: then either may go first."""
        looked, left = {uid}, [document]
        while left:
            each = left.pop()
            own = each["metadata"]["uid"]
            if own == uid:
                return True
            if own not in looked and _only_waits(each):
                looked.add(own)
                left += self._blockers(own)
        return False

    async def _empty(self, key: Key) -> None:
        """Delete everything in a namespace that ends; it goes when nothing is left."""
        await self._shelf.write(())  # creations that were under way when the namespace was marked are committed by now
        inside = self._shelf.inside(key.name, _AT_ONCE)
        going = [each for each in inside if not self._is_ending(each)]
        await self._each(going, self._store.delete)
        if going or len(inside) == _AT_ONCE:
            self._add((key,))
        elif not inside:
            await self._store.patch(key, _without_spec_finalizers, subresource="finalize")

    async def _each(self, keys: Iterable[Key], act: Callable[[Key], Awaitable[object]]) -> None:
        """Act on all of them at the same time; one that went away by itself is as good as done."""
        done = await asyncio.gather(*map(act, keys), return_exceptions=True)
        for result in done:
            if isinstance(result, BaseException) and not isinstance(result, NotFoundError):
                raise result


def _propagation(document: Object) -> Propagation:
    """What the object's own finalizers ask for."""
    finalizers = finalizers_of(document)
    if ORPHAN_FINALIZER in finalizers:
        return Propagation.ORPHAN
    return Propagation.FOREGROUND if FOREGROUND_FINALIZER in finalizers else Propagation.BACKGROUND


def _blocks(document: Object, uid: str) -> bool:
    return any(each.uid == uid and each.waits for each in facts_of(document).references)


def _without_owners(document: Object, uids: set[str]) -> Object:
    metadata = document["metadata"]
    kept = [each for each in metadata.get("ownerReferences") or () if each["uid"] not in uids]
    metadata.pop("ownerReferences", None)
    if kept:
        metadata["ownerReferences"] = kept
    return document


def _only_waits(document: Object) -> bool:
    """Whether an object that is being deleted is held by nothing but what it owns."""
    metadata = document["metadata"]
    held = finalizers_of(document) != [FOREGROUND_FINALIZER] or metadata.get("deletionGracePeriodSeconds")
    return "deletionTimestamp" in metadata and not held


def _without_finalizer(document: Object, finalizer: str) -> Object:
    kept = [each for each in finalizers_of(document) if each != finalizer]
    document["metadata"].pop("finalizers", None)
    if kept:
        document["metadata"]["finalizers"] = kept
    return document


def _without_spec_finalizers(document: Object) -> Object:
    document.setdefault("spec", {}).pop("finalizers", None)
    return document
