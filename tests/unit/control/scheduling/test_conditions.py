import asyncio
from contextlib import asynccontextmanager

from bayplan.control.cache import Cache
from bayplan.control.collections import PODS
from bayplan.control.scheduling.conditions import EVERY_S, PodConditions
from bayplan.control.store import Binding, Deletion, Key
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.scheduling.scheduler import nodes, pod, running, virtually, worker

NAME = ("default", "p")
KEY = Key(PODS, *NAME)


@asynccontextmanager
async def conditions(*names):
    clock = asyncio.get_running_loop().clock
    async with EmbeddedStore(MemoryShelf(), clock=clock) as store:
        for each in names:
            await store.create(PODS, pod(each))
        cache = Cache(store, (PODS,))
        found = PodConditions(store, cache, clock)
        await cache.start()
        found.start()
        try:
            yield store, found
        finally:
            await found.stop()
            await cache.stop()


async def say(found, *messages, reason="Unschedulable"):
    for each in messages:
        found.set([NAME], reason, each)
        await found.settled()
    for _ in range(5):
        await asyncio.sleep(0)


async def told(store):
    return (await store.get(KEY)).document()["status"].get("conditions", [])


@virtually
async def test_the_condition_says_why_and_since_when():
    async with conditions("p") as (store, found):
        await say(found, "no room")
        await asyncio.sleep(60)
        await say(found, "still no room")

        assert await told(store) == [
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": "still no room",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
        ]


@virtually
async def test_messages_that_keep_changing_are_written_now_and_then_and_the_last_one_counts():
    async with conditions("p") as (store, found):
        before = int((await store.get(KEY)).document()["metadata"]["resourceVersion"])
        await say(found, *(f"{number} workers" for number in range(20)))
        assert int((await store.get(KEY)).document()["metadata"]["resourceVersion"]) == before + 1

        await asyncio.sleep(EVERY_S + 1)

        assert (await told(store))[0]["message"] == "19 workers"


@virtually
async def test_the_same_again_is_not_written():
    async with conditions("p") as (store, found):
        await say(found, "no room")
        before = (await store.get(KEY)).revision
        await asyncio.sleep(60)
        await say(found, "no room")

        assert (await store.get(KEY)).revision == before


@virtually
async def test_other_conditions_stay_and_long_messages_are_cut():
    async with conditions("p") as (store, found):
        other = {"type": "Mine", "status": "True"}
        await store.patch(KEY, lambda old: {**old, "status": {"conditions": [other]}}, subresource="status")
        await say(found, "x" * 5000)

        mine, theirs = sorted(await told(store), key=lambda each: each["type"])[::-1]

        assert theirs == other
        assert len(mine["message"]) == 1024


@virtually
async def test_a_pod_that_was_bound_meanwhile_is_not_called_unschedulable():
    async with conditions("p") as (store, found):
        found.set([NAME], "Unschedulable", "no room")
        await store.bind([Binding(*NAME, "w")])
        await found.settled()

        assert [each["status"] for each in await told(store)] == ["True"]


@virtually
async def test_another_pod_of_the_same_name_inherits_nothing():
    async with conditions("p") as (store, found):
        await say(found, "no room")
        await say(found, "less room")  # waits, because something was written just now
        await store.delete(KEY, Deletion(grace_s=0))
        await store.create(PODS, pod("p"))
        await asyncio.sleep(2 * EVERY_S)

        assert await told(store) == []


@virtually
async def test_nothing_is_kept_about_pods_that_were_placed_or_are_gone():
    async with running() as system:
        await system.create(*(pod(f"p{number}") for number in range(8)))
        await system.delete("p7")
        await system.create(*nodes(worker("a")))
        await asyncio.sleep(60)

        assert None not in (await system.where()).values()
        assert (system.conditions._wanted, system.conditions._written_s) == ({}, {})
