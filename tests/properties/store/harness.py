"""A SQLite store beside the model: opened, closed, listened to, and compared after every step."""

import asyncio
import shutil
import tempfile
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from bayplan.control.selection import Selection, parse_labels
from bayplan.control.store import ChangeType, Collection, Key
from bayplan.control.store_errors import ExpiredError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.integrity import problems
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
from properties.store.model import NAMESPACES, PODS, POOLS, Model, Owner, Thing, Where

COLLECTIONS = {
    POOLS: Collection("neuronetes.io", "agentpools"),
    PODS: Collection("", "pods"),
    NAMESPACES: Collection("", "namespaces", namespaced=False),
}
KINDS = {POOLS: "AgentPool", PODS: "Pod", NAMESPACES: "Namespace"}
GOLD = Selection(parse_labels("tier=gold"))
SHORT, LONG = 5, 10_000  # changes kept: so few that every step compacts, and all
MOST_TURNS = 10_000  # of the event loop, until watchers have heard everything


def document(where, value=0, tier="iron", *, finalizers=(), owners=()):
    metadata = {"name": where.name, "labels": {"tier": tier}}
    if where.namespace:
        metadata["namespace"] = where.namespace
    if finalizers:
        metadata["finalizers"] = list(finalizers)
    if owners:
        metadata["ownerReferences"] = references(owners)
    return {"apiVersion": "v1", "kind": KINDS[where.kind], "metadata": metadata, "spec": {"value": value}}


def references(owners):
    return [
        {"apiVersion": "v1", "kind": "Any", "name": each.name, "uid": each.uid, "blockOwnerDeletion": each.blocks}
        for each in owners
    ]


def seen(stored):
    """A stored object in the terms of the model."""
    made = stored.document()
    metadata, spec, status = made["metadata"], made.get("spec") or {}, made.get("status") or {}
    assert metadata["resourceVersion"] == str(stored.revision)
    assert ("deletionTimestamp" in metadata) == ("deletionGracePeriodSeconds" in metadata)
    owners = (
        Owner(each["uid"], each["name"], bool(each.get("blockOwnerDeletion")))
        for each in metadata.get("ownerReferences") or ()
    )
    return Thing(
        metadata["uid"],
        spec.get("value", 0),
        metadata["labels"]["tier"],
        status.get("phase") if made["kind"] == "Namespace" else status.get("value"),
        metadata["generation"],
        tuple(metadata.get("finalizers") or ()),
        "deletionTimestamp" in metadata,
        metadata.get("deletionGracePeriodSeconds"),
        tuple(owners),
        spec.get("nodeName", ""),
        bool(spec.get("finalizers")),
    )


class Harness(RuleBasedStateMachine):
    """Opens the store and takes what it tells into the model; the rules are in other files."""

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp(prefix="bayplan-store-"))
        self.runner = asyncio.Runner()
        self.heard, self.listeners = [], []
        self.resumed, self.pages = [], []
        self.stops = False
        self.open(LONG)
        self.model = Model(self.shelf.revision())
        for each in self.run(self.store.list(COLLECTIONS[NAMESPACES])).items:
            made = each.document()
            made["metadata"]["labels"] |= {"tier": "iron"}
            self.run(self.store.update(self.key(Where(NAMESPACES, "", made["metadata"]["name"])), made))
        self.heard.clear()
        self.latest()
        self.heard.clear()
        self.model.revision = self.base = self.shelf.revision()
        self.model.things = {
            Where(NAMESPACES, "", each.document()["metadata"]["name"]): seen(each)
            for each in self.run(self.store.list(COLLECTIONS[NAMESPACES])).items
        }
        self.model.past[self.base] = dict(self.model.things)
        self.fill()

    def fill(self):
        """What every example begins with."""

    def run(self, awaitable):
        return self.runner.run(awaitable)

    def key(self, where):
        return Key(COLLECTIONS[where.kind], where.namespace, where.name)

    def open(self, history):
        async def opened():
            shelf = SqliteShelf(self.folder / "data", history=history)
            shelf._writer._connection.execute("PRAGMA synchronous = OFF")  # the kills test what is on the disk
            store = EmbeddedStore(shelf, bookmark_s=0.0, clock=lambda: 1_770_000_000.0)
            return shelf, await store.__aenter__()

        self.history = history
        self.shelf, self.store = self.run(opened())
        since = self.model.revision if hasattr(self, "model") else None
        self.listen(since)

    def listen(self, since):
        """Watch all collections for as long as the store is open."""

        async def listener(kind):
            async with aclosing(self.store.watch(COLLECTIONS[kind], since=since)) as watch:
                async for change in watch:
                    self.heard.append((kind, change))

        async def started():
            return [asyncio.create_task(listener(kind)) for kind in COLLECTIONS]

        self.listeners = self.run(started())

    def close(self):
        async def closed():
            await self.store.close()
            await asyncio.gather(*self.listeners)

        self.run(closed())

    def teardown(self):
        if hasattr(self, "runner"):
            self.close()
            self.runner.close()
            assert problems(self.folder / "data" / "bayplan.db") == []
            shutil.rmtree(self.folder)

    def latest(self):
        """The revision when all cascades are done and everything is written and heard."""

        async def settled():
            await self.store.settled()
            await self.shelf.write(())  # after the writer's compaction
            turns = iter(range(MOST_TURNS))
            while hasattr(self, "base") and self.model.revision + len(self.heard) < self.shelf.revision():
                next(turns)
                await asyncio.sleep(0)

        self.run(settled())
        return self.shelf.revision()

    def attempt(self, awaitable, error, *expected):
        """A call that must raise, or make these changes (where, after), in order, and then its cascades."""
        if error is not None:
            with pytest.raises(error):
                self.run(awaitable)
            expected = ()
        elif self.stops and self.history == LONG:
            self.run_and_stop(awaitable)
        else:
            self.run(awaitable)
        self.absorb(expected)

    def run_and_stop(self, awaitable):
        """End the process after a write, before anything that follows from it is done."""
        self.run(self.store._garbage.stop())
        self.run(awaitable)
        self.close()
        self.heard.clear()  # the next process tells all of it again
        self.open(LONG)
        self.stops = False

    def absorb(self, expected):
        """Take what the store did into the model: first the changes that were asked for, then cascades."""
        self.latest()
        since = self.model.revision
        told = sorted(self.heard, key=lambda each: each[1].stored.revision)
        self.heard.clear()
        for (kind, change), (where, after) in zip(told, expected, strict=False):
            assert self.where(kind, change) == where
            found = None if change.type is ChangeType.DELETED else seen(change.stored)
            assert (found and replace(found, uid="")) == (after and replace(after, uid=""))
            self.model.note(change.stored.revision, str(change.type), where, found)
        assert len(told) >= len(expected)
        for kind, change in told[len(expected) :]:
            self.absorb_cascade(self.where(kind, change), change)
        assert self.model.revision == self.shelf.revision()
        assert list(self.model.undone()) == []
        for kind in COLLECTIONS:
            self.resume(kind, "", GOLD, since)
            self.list_at(kind, "", None, self.model.revision - since)

    def absorb_cascade(self, where, change):
        """A cascade does nothing to an object but what the model allows at that moment."""
        after = None if change.type is ChangeType.DELETED else seen(change.stored)
        assert after in list(self.model.allowed(where))
        self.model.note(change.stored.revision, str(change.type), where, after)

    def where(self, kind, change):
        metadata = change.stored.document()["metadata"]
        return Where(kind, metadata.get("namespace", ""), metadata["name"])

    def changes(self, kind, namespace, selection, since):
        """Everything that a watch says up to now; bookmarks tell when that is all."""

        async def read():
            told = []
            watch = self.store.watch(COLLECTIONS[kind], namespace, selection, since=since, bookmarks=True)
            async with aclosing(watch):
                async for change in watch:
                    if change.type is not ChangeType.BOOKMARK:
                        told.append(change)
                    elif change.stored.revision == self.shelf.revision():
                        break
            return told

        return self.run(read())

    def resume(self, kind, namespace, selection, since):
        """A watch from a revision on tells what the model knows, if that is still kept."""
        try:
            told = self.changes(kind, namespace, selection, since)
        except ExpiredError:
            assert since < self.shelf.counter("compacted")
            return
        heard = [
            (each.stored.revision, str(each.type), self.where(kind, each).name, seen_value(each.stored))
            for each in told
        ]
        assert heard == list(self.model.told(kind, namespace, selection, since))

    def list_at(self, kind, namespace, selection, back):
        """A list at an older revision shows what the model knows, if that is still kept."""
        at = max(self.model.revision - back, self.base)
        try:
            page = self.run(self.store.list(COLLECTIONS[kind], namespace, selection, revision=at))
        except ExpiredError:
            assert at < self.shelf.counter("compacted")
            return
        self.compare(page.items, kind, namespace, selection, at)

    def compare(self, items, kind, namespace, selection, revision):
        """A list must be the state of its revision, in the order of names."""
        found = [(each.document()["metadata"]["name"], seen(each)) for each in items]
        assert found == self.model.listed(kind, namespace, selection, revision)

    @invariant()
    def the_history_is_bounded_and_long_enough(self):
        if hasattr(self, "base") and self.history == SHORT:
            kept = self.shelf.revision() - self.shelf.counter("compacted")
            assert kept >= min(SHORT, self.shelf.revision())


def seen_value(stored):
    return (stored.document().get("spec") or {}).get("value", 0)
