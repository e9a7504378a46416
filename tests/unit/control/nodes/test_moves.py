"""Replicas of drained nodes are replaced before they go."""

import asyncio

import pytest

from bayplan.control.cache import Cache
from bayplan.control.collections import NODES, PODS, REPLICA_SETS
from bayplan.control.event_recorder import EventRecorder
from bayplan.control.nodes.conditions import with_condition
from bayplan.control.nodes.moves import MOVE_S, Moves, begin_move
from bayplan.control.store import Binding, Deletion, Key
from bayplan.library.status.pod_facts import facts_of
from bayplan.manifests.marks import MOVING
from bayplan.sim.virtual_time import VirtualLoop, run_virtually
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf


class World:
    """A ReplicaSet with Pods, on nodes of which `old` is drained."""

    def __init__(self, loop):
        self.clock = loop.clock
        self.store = EmbeddedStore(MemoryShelf(), clock=self.clock)
        self.events = EventRecorder(self.store, clock=self.clock)
        self.cache = Cache(self.store, Moves.collections)
        self.moves = Moves(self.store, self.cache, self.events, self.clock)

    async def start(self):
        for name, drained in (("old", True), ("new", False)):
            node = {"kind": "Node", "metadata": {"name": name}, "spec": {"unschedulable": drained}}
            await self.store.create(NODES, node)
        metadata = {"name": "web", "namespace": "default"}
        stored = await self.store.create(REPLICA_SETS, {"metadata": metadata, "spec": {"replicas": 1}})
        self.uid = stored.document()["metadata"]["uid"]
        await self.cache.start()
        self.moves.start()

    async def stop(self):
        await self.moves.stop()
        await self.cache.stop()

    async def pod(self, name, node="old", ready=True, kind="ReplicaSet", group="apps/v1"):
        owner = {"apiVersion": group, "kind": kind, "name": "web", "uid": self.uid, "controller": True}
        metadata = {"name": name, "namespace": "default", "ownerReferences": [owner]}
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": str(ready)}]}
        await self.store.create(PODS, {"kind": "Pod", "metadata": metadata, "spec": {}, "status": status})
        await self.store.bind([Binding("default", name, node)])

    async def get(self, name):
        return (await self.store.get(Key(PODS, "default", name))).document()

    async def evict(self, name):
        return await begin_move(self.store, await self.get(name), self.clock())

    async def ready(self, name):
        condition = {"type": "Ready", "status": "True"}
        key = Key(PODS, "default", name)
        await self.store.patch(key, lambda live: with_condition(live, condition, "now"), subresource="status")

    async def leaving(self):
        await asyncio.sleep(1)
        pods = [each.document()["metadata"] for each in (await self.store.list(PODS)).items]
        return sorted(each["name"] for each in pods if "deletionTimestamp" in each)


def run(talk):
    async def started():
        world = World(asyncio.get_running_loop())
        async with world.store:
            await world.start()
            try:
                await talk(world)
            finally:
                await world.stop()

    run_virtually(started(), VirtualLoop())


def test_a_replica_goes_when_another_is_ready():
    async def talk(world):
        await world.pod("a")

        assert await world.evict("a")
        assert not facts_of(await world.get("a")).live  # so that its controller makes another
        await world.pod("b", "new", ready=False)
        assert await world.leaving() == []
        await world.ready("b")

        assert await world.leaving() == ["a"]

    run(talk)


def test_several_replicas_go_one_for_one():
    async def talk(world):
        await world.store.patch(Key(REPLICA_SETS, "default", "web"), lambda live: {**live, "spec": {"replicas": 2}})
        for name in ("a", "b"):
            await world.pod(name)
            assert await world.evict(name)

        await world.pod("c", "new")
        assert await world.leaving() == ["a"]
        await world.store.delete(Key(PODS, "default", "a"), Deletion(grace_s=0))
        assert await world.leaving() == []
        await world.pod("d", "new")

        assert await world.leaving() == ["b"]

    run(talk)


def test_a_move_that_takes_too_long_is_given_up():
    async def talk(world):
        await world.pod("a")
        assert await world.evict("a")

        await asyncio.sleep(MOVE_S - 10)
        assert await world.evict("a")
        await asyncio.sleep(20)

        assert MOVING not in (await world.get("a"))["metadata"]["annotations"]
        assert facts_of(await world.get("a")).live

    run(talk)


def test_an_eviction_after_that_time_is_not_held_up_again():
    async def talk(world):
        await world.moves.stop()
        await world.pod("a")
        assert await world.evict("a")

        await asyncio.sleep(MOVE_S)

        assert not await world.evict("a")

    run(talk)


AT_ONCE = {
    "on a node that is not drained": {"node": "new"},
    "not ready": {"ready": False},
    "a member with a name": {"kind": "StatefulSet"},
    "of a Job": {"kind": "Job", "group": "batch/v1"},
    "on a node that is gone": {"node": "nowhere"},
}


@pytest.mark.parametrize("pod", AT_ONCE.values(), ids=AT_ONCE)
def test_other_pods_go_at_once(pod):
    async def talk(world):
        await world.pod("a", **pod)

        assert not await world.evict("a")
        assert MOVING not in (await world.get("a"))["metadata"].get("annotations", {})

    run(talk)
