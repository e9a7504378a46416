"""The SQLite store against a plain model: through writes, refusals, watches, pages, restarts and compactions."""

import asyncio
import shutil
import tempfile
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bayplan.control.selection import Selection, parse_labels
from bayplan.control.store import ChangeType, Collection, Deletion, Key
from bayplan.control.store_errors import AlreadyExistsError, ExpiredError, NotFoundError, StaleError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.integrity import problems
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf

POOLS = Collection("neuronetes.io", "agentpools")
GOLD = Selection(parse_labels("tier=gold"))
HISTORY = 5  # so few that every example compacts
SLACK = max(1, HISTORY // 8)

NAMES = "abcd"
SELDOM = st.sampled_from([False, False, False, True])
VALUES = st.integers(0, 2)
TIERS = st.sampled_from(["gold", "iron"])
SELECTIONS = st.sampled_from([None, GOLD])


@dataclass(frozen=True)
class Thing:
    """What the model knows of an object."""

    uid: str
    value: int
    tier: str
    status: int | None = None
    generation: int = 1
    held: bool = False
    deleting: bool = False
    owner: str = ""

    def chosen(self, selection):
        return selection is None or self.tier == "gold"


@dataclass
class Model:
    """Every state that was ever stored, by its revision."""

    revision: int
    things: dict = field(default_factory=dict)
    past: dict = field(default_factory=dict)
    log: list = field(default_factory=list)

    def note(self, revision, kind, name, after):
        """A change as the store told it: revisions grow one by one."""
        assert revision == self.revision + 1
        self.revision = revision
        self.log.append((revision, kind, name, self.things.get(name), after))
        if kind == "DELETED":
            del self.things[name]
        else:
            self.things[name] = after
        self.past[revision] = dict(self.things)

    def told(self, since, selection):
        """What a watch from a revision on must say."""
        for revision, _, name, before, after in self.log:
            was = before is not None and before.chosen(selection)
            now = after is not None and after.chosen(selection)
            if revision > since and (was or now):
                kind = ("MODIFIED" if was else "ADDED") if now else "DELETED"
                yield revision, kind, name, (after if now else before).value


def document(name, value, tier, *, held=False, owner=None):
    metadata = {"name": name, "namespace": "default", "labels": {"tier": tier}}
    if held:
        metadata["finalizers"] = ["a/x"]
    if owner:
        reference = {"apiVersion": "neuronetes.io/v1alpha1", "kind": "AgentPool"}
        metadata["ownerReferences"] = [{**reference, "name": owner[0], "uid": owner[1]}]
    return {
        "apiVersion": "neuronetes.io/v1alpha1",
        "kind": "AgentPool",
        "metadata": metadata,
        "spec": {"value": value},
    }


def seen(stored):
    """A stored object in the terms of the model."""
    made = stored.document()
    metadata = made["metadata"]
    assert metadata["resourceVersion"] == str(stored.revision)
    (owner,) = metadata.get("ownerReferences") or ({"uid": ""},)
    return Thing(
        metadata["uid"],
        made["spec"]["value"],
        metadata["labels"]["tier"],
        made.get("status", {}).get("value"),
        metadata["generation"],
        bool(metadata.get("finalizers")),
        "deletionTimestamp" in metadata,
        owner["uid"],
    )


class StoreMachine(RuleBasedStateMachine):
    """Does something to the store and the model, then compares what both say."""

    @initialize()
    def begin(self):
        self.folder = Path(tempfile.mkdtemp(prefix="bayplan-store-"))
        self.runner = asyncio.Runner()
        self.resumed = []
        self.pages = []
        self.open()
        self.model = Model(self.shelf.revision())
        self.model.past[self.model.revision] = {}
        for name, tier in (("a", "gold"), ("b", "iron")):
            self.add(name, 0, tier, held=False, owner=None)

    def open(self):
        async def opened():
            shelf = SqliteShelf(self.folder / "data", history=HISTORY)
            shelf._writer._connection.execute("PRAGMA synchronous = OFF")  # the kills test what is on the disk
            return shelf, await EmbeddedStore(shelf, bookmark_s=0.0).__aenter__()

        self.shelf, self.store = self.runner.run(opened())

    def teardown(self):
        if hasattr(self, "runner"):
            self.runner.run(self.store.close())
            self.runner.close()
            assert problems(self.folder / "data" / "bayplan.db") == []
            shutil.rmtree(self.folder)

    def key(self, name):
        return Key(POOLS, "default", name)

    def attempt(self, awaitable, error, kind="", name="", after=None):
        """A call that must raise, or make one change and then the cascades that follow from it."""
        if error is not None:
            with pytest.raises(error):
                self.runner.run(awaitable)
        else:
            self.runner.run(awaitable)
            self.absorb([(kind, name, after)] if kind else [])
        assert self.latest() == self.model.revision

    def latest(self):
        async def settled():
            await self.store.settled()
            await self.shelf.write(())  # after the writer's compaction

        self.runner.run(settled())
        return self.shelf.revision()

    def absorb(self, direct):
        """Take what the store did into the model: first the change that was asked for, then cascades in any order."""
        self.latest()
        before = self.model.revision
        told = self.changes(before, None)
        assert [(str(change.type), self.name_of(change)) for change in told[: len(direct)]] == [
            (kind, name) for kind, name, _ in direct
        ]
        for change, (kind, name, after) in zip(told, direct, strict=False):
            if after is not None:
                assert replace(seen(change.stored), uid="") == replace(after, uid="")
            self.model.note(change.stored.revision, kind, name, seen(change.stored) if after is not None else None)
        for change in told[len(direct) :]:
            self.absorb_cascade(change)
        lost = [name for name, thing in self.model.things.items() if self.is_stray(thing)]
        assert lost == []
        self.resume(before, GOLD)
        self.list_at(None, self.model.revision - before)

    def absorb_cascade(self, change):
        """A cascade touches nothing but objects whose owner is gone: they go, or are marked while they are held."""
        name = self.name_of(change)
        thing = self.model.things[name]
        assert self.is_stray(thing)
        if change.type is ChangeType.DELETED:
            assert not thing.held
            return self.model.note(change.stored.revision, "DELETED", name, None)
        assert thing.held
        after = replace(thing, deleting=True, generation=thing.generation + 1)
        assert seen(change.stored) == after
        return self.model.note(change.stored.revision, "MODIFIED", name, after)

    def is_stray(self, thing):
        present = {each.uid for each in self.model.things.values()}
        return bool(thing.owner) and thing.owner not in present and not thing.deleting

    def name_of(self, change):
        return change.stored.document()["metadata"]["name"]

    def changes(self, since, selection):
        """Everything that a watch says up to now; bookmarks tell when that is all."""

        async def read():
            told = []
            async with aclosing(self.store.watch(POOLS, "", selection, since=since, bookmarks=True)) as watch:
                async for change in watch:
                    if change.type is not ChangeType.BOOKMARK:
                        told.append(change)
                    elif change.stored.revision == self.shelf.revision():
                        break
            return told

        return self.runner.run(read())

    def pick(self, data, *, there=True):
        """A name that is taken, or that is free, where there is one; seldom any other."""
        fitting = [name for name in NAMES if (name in self.model.things) is there]
        return data.draw(st.sampled_from(NAMES if not fitting or data.draw(SELDOM) else fitting))

    @rule(data=st.data(), value=VALUES, tier=TIERS, held=SELDOM, owner=st.none() | st.sampled_from(NAMES))
    def create(self, data, value, tier, held, owner):
        self.add(self.pick(data, there=False), value, tier, held=held, owner=owner)

    def add(self, name, value, tier, *, held, owner):
        above = self.model.things.get(owner)
        uid = above.uid if above else ""
        given = document(name, value, tier, held=held, owner=(owner, uid) if uid else None)
        error = AlreadyExistsError if name in self.model.things else None
        after = Thing("", value, tier, held=held, owner=uid)
        self.attempt(self.store.create(POOLS, given), error, "ADDED", name, after)

    def refusal(self, name, *, stale):
        return NotFoundError if name not in self.model.things else StaleError if stale else None

    @rule(data=st.data(), value=VALUES, tier=TIERS, stale=SELDOM)
    def update(self, data, value, tier, stale):
        name = self.pick(data)
        thing = self.model.things.get(name)
        after = thing and replace(thing, value=value, tier=tier, generation=thing.generation + (value != thing.value))

        def change(latest):
            latest["spec"] = {"value": value}
            latest["metadata"]["labels"] = {"tier": tier}
            if stale:
                latest["metadata"]["resourceVersion"] = "1"
            return latest

        kind = "" if after == thing else "MODIFIED"
        self.attempt(self.store.patch(self.key(name), change), self.refusal(name, stale=stale), kind, name, after)

    @rule(data=st.data(), value=VALUES)
    def report(self, data, value):
        name = self.pick(data)
        thing = self.model.things.get(name)
        given = {**document(name, 99, "gold"), "status": {"value": value}}
        after = thing and replace(thing, status=value)
        kind = "" if after == thing else "MODIFIED"
        call = self.store.update(self.key(name), given, subresource="status")
        self.attempt(call, self.refusal(name, stale=False), kind, name, after)

    @rule(data=st.data(), wrong=SELDOM, dry_run=SELDOM)
    def delete(self, data, wrong, dry_run):
        name = self.pick(data)
        thing = self.model.things.get(name)
        kind, after = "DELETED", None
        if thing and thing.held:
            marked = replace(thing, deleting=True, generation=thing.generation + (not thing.deleting))
            kind, after = ("", None) if thing.deleting else ("MODIFIED", marked)
        wish = Deletion(uid="another" if wrong else None)
        call = self.store.delete(self.key(name), wish, dry_run=dry_run)
        self.attempt(call, self.refusal(name, stale=wrong), "" if dry_run else kind, name, after)

    @rule(data=st.data())
    def release(self, data):
        """Take the finalizer away: an object that is being deleted goes."""
        name = self.pick(data)
        thing = self.model.things.get(name)

        def change(latest):
            latest["metadata"].pop("finalizers", None)
            return latest

        kind, after = (
            ("DELETED", None) if thing and thing.deleting else ("MODIFIED", thing and replace(thing, held=False))
        )
        kind = kind if thing and thing.held else ""
        self.attempt(self.store.patch(self.key(name), change), self.refusal(name, stale=False), kind, name, after)

    @rule(names=st.lists(st.sampled_from(NAMES), min_size=2, max_size=6))
    def race(self, names):
        """Creations at the same time: of each free name one succeeds."""
        free = [name for name in dict.fromkeys(names) if name not in self.model.things]

        async def both():
            calls = (self.store.create(POOLS, document(name, 0, "iron")) for name in names)
            return await asyncio.gather(*calls, return_exceptions=True)

        done = self.runner.run(both())
        assert sum(isinstance(each, AlreadyExistsError) for each in done) == len(names) - len(free)
        self.absorb([("ADDED", name, Thing("", 0, "iron")) for name in free])

    @rule()
    def restart(self):
        self.runner.run(self.store.close())
        self.open()
        assert self.latest() == self.model.revision

    @rule(selection=SELECTIONS)
    def leave_a_watch(self, selection):
        self.resumed.append((self.model.revision, selection))

    @precondition(lambda self: self.resumed)
    @rule(data=st.data())
    def resume_a_watch(self, data):
        self.resume(*data.draw(st.sampled_from(self.resumed)))

    def resume(self, since, selection):
        """A watch from a revision on tells what the model knows, if that is still kept."""
        try:
            told = self.changes(since, selection)
        except ExpiredError:
            assert since < self.shelf.counter("compacted")
            return
        heard = [
            (each.stored.revision, str(each.type), self.name_of(each), each.stored.document()["spec"]["value"])
            for each in told
        ]
        assert heard == list(self.model.told(since, selection))

    @rule(selection=SELECTIONS, limit=st.integers(1, 2))
    def begin_pages(self, selection, limit):
        page = self.runner.run(self.store.list(POOLS, "default", selection, limit=limit))
        assert page.revision == self.model.revision
        self.pages.append((page, selection, limit))

    @precondition(lambda self: self.pages)
    @rule(data=st.data())
    def finish_pages(self, data):
        page, selection, limit = data.draw(st.sampled_from(self.pages))
        items = list(page.items)
        try:
            while page.next:
                page = self.runner.run(self.store.list(POOLS, "default", selection, limit=limit, next=page.next))
                items += page.items
        except ExpiredError:
            assert page.revision < self.shelf.counter("compacted")
            return
        self.compare(items, page.revision, selection)

    def compare(self, items, revision, selection):
        """A list must be the state of its revision, in the order of names."""
        state = self.model.past[revision]
        expected = [(name, state[name]) for name in sorted(state) if state[name].chosen(selection)]
        assert [(each.document()["metadata"]["name"], seen(each)) for each in items] == expected

    @rule(selection=SELECTIONS, back=st.integers(0, 9))
    def list_some_time_ago(self, selection, back):
        self.list_at(selection, back)

    def list_at(self, selection, back):
        """A list at an older revision shows what the model knows, if that is still kept."""
        at = max(self.model.revision - back, min(self.model.past))
        try:
            page = self.runner.run(self.store.list(POOLS, "", selection, revision=at))
        except ExpiredError:
            assert at < self.shelf.counter("compacted")
            return
        self.compare(page.items, at, selection)

    @invariant()
    def the_history_is_bounded_and_long_enough(self):
        if hasattr(self, "model"):
            kept = self.shelf.revision() - self.shelf.counter("compacted")
            assert kept < HISTORY + SLACK + 8  # a commit of several creations is compacted as a whole
            assert kept >= min(HISTORY, self.shelf.revision())


StoreMachine.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestStore = StoreMachine.TestCase
