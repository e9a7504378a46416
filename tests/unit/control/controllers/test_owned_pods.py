"""What was written counts before the cache knows it, and only while the store has it."""

import asyncio
from contextlib import asynccontextmanager

from bayplan.control.cache import Cache
from bayplan.control.collections import PODS, WORKLOADS
from bayplan.control.controllers.owned_pods import OwnedPods
from bayplan.control.controllers.pod_writer import AT_ONCE, PodWriter, parts_of
from bayplan.control.controllers.references import controlled_by
from bayplan.control.event_recorder import EventRecorder
from bayplan.control.store import Key
from bayplan.control.store_errors import ExpiredError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.controllers.lab import clock, run, workload


class Held:
    """A store whose watches say nothing until they are let through, and then that they have forgotten."""

    def __init__(self, inner):
        self._inner, self.open = inner, asyncio.Event()

    def __getattr__(self, name):
        return getattr(self._inner, name)

    async def watch_many(self, collection, *where, **how):
        async for changes in self._inner.watch_many(collection, *where, **how):
            if not self.open.is_set():
                await self.open.wait()
                raise ExpiredError("forgotten", place="watch")
            yield changes


@asynccontextmanager
async def index():
    async with EmbeddedStore(MemoryShelf(), clock=clock) as inner:
        store = Held(inner)
        cache = Cache(store, [PODS, WORKLOADS])
        pods = OwnedPods(cache)
        events = EventRecorder(store, clock=clock)
        document = workload()
        document["metadata"]["namespace"] = "default"
        owner = (await inner.create(WORKLOADS, document)).document()
        await cache.start()
        yield store, pods, PodWriter(store, pods, events), owner
        await events.stop()
        await cache.stop()


def pod(owner):
    metadata = {"generateName": "p-", "namespace": "default", "ownerReferences": controlled_by(owner)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {}}


def group_of(pods, owner):
    return pods.of(owner["metadata"]["uid"])


def test_created_pods_count_at_once_and_once():
    async def scenario():
        async with index() as (store, pods, writer, owner):
            made = await writer.create(owner, [pod(owner)] * 3)
            before = group_of(pods, owner).tally.live, len(group_of(pods, owner).assumed)
            store.open.set()
            await asyncio.sleep(1)
            return made, before, (group_of(pods, owner).tally.live, len(group_of(pods, owner).assumed))

    assert run(scenario()) == (3, (3, 3), (3, 0))


def test_a_pod_that_was_created_and_deleted_unseen_is_found_out():
    async def scenario():
        async with index() as (store, pods, writer, owner):
            await writer.create(owner, [pod(owner)] * 2)
            name = next(iter(group_of(pods, owner).pods))
            await store.delete(Key(PODS, *name))
            store.open.set()
            await asyncio.sleep(1)
            early = await writer.doubt(group_of(pods, owner)), group_of(pods, owner).tally.live
            await asyncio.sleep(5)
            late = await writer.doubt(group_of(pods, owner)), group_of(pods, owner).tally.live
            return early, late

    assert run(scenario()) == ((5.0, 2), (None, 1))


def test_a_pod_that_its_controller_deleted_unseen_is_found_out():
    async def scenario():
        async with index() as (store, pods, writer, owner):
            await writer.create(owner, [pod(owner)])
            await writer.delete(owner, list(group_of(pods, owner).pods.values()))
            store.open.set()
            await asyncio.sleep(6)
            return await writer.doubt(group_of(pods, owner)), len(group_of(pods, owner).pods)

    assert run(scenario()) == (None, 0)


def test_a_pod_that_the_store_has_is_not_doubted_away():
    async def scenario():
        async with index() as (_, pods, writer, owner):
            await writer.create(owner, [pod(owner)])
            await asyncio.sleep(60)
            return await writer.doubt(group_of(pods, owner)), group_of(pods, owner).tally.live

    assert run(scenario()) == (5.0, 1)


def test_deleted_pods_leave_at_once():
    async def scenario():
        async with index() as (store, pods, writer, owner):
            await writer.create(owner, [pod(owner)] * 2)
            store.open.set()
            await asyncio.sleep(1)
            store.open.clear()
            first, second = list(group_of(pods, owner).pods.values())
            deleted = await writer.delete(owner, [first])
            after = group_of(pods, owner).tally.live
            again = await writer.delete(owner, [first])
            store.open.set()
            await asyncio.sleep(1)
            return deleted, after, again, list(group_of(pods, owner).pods.values()) == [second]

    assert run(scenario()) == (1, 1, 0, True)


def test_nothing_is_created_for_an_owner_that_is_gone():
    async def scenario():
        async with index() as (store, _, writer, owner):
            await store.delete(Key(WORKLOADS, "default", "chat"))
            made = await writer.create(owner, [pod(owner)])
            return made, len((await store.list(PODS)).items)

    assert run(scenario()) == (0, 0)


def test_an_adopted_pod_counts_at_once():
    async def scenario():
        async with index() as (store, pods, writer, owner):
            free = pod(owner)
            del free["metadata"]["ownerReferences"]
            store.open.set()
            await store.create(PODS, free)
            await asyncio.sleep(1)
            store.open.clear()
            (orphan,) = pods.orphans("default")
            await writer.adopt(owner, orphan, controlled_by(owner))
            pods.adopted(orphan, controlled_by(owner))
            at_once = group_of(pods, owner).tally.live
            store.open.set()
            await asyncio.sleep(1)
            return at_once, group_of(pods, owner).tally.live, pods.orphans("default")

    assert run(scenario()) == (1, 1, [])


def test_writes_go_in_parts():
    assert [len(each) for each in parts_of(range(2 * AT_ONCE + 1))] == [AT_ONCE, AT_ONCE, 1]
    assert list(parts_of([])) == []
