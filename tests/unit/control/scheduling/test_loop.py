import asyncio

import orjson

from bayplan.control.collections import PODS
from bayplan.manifests.marks import BOOKING, DEVICES, EPOCH, RECORD
from bayplan.stores.memory import MemoryShelf
from unit.control.scheduling.scheduler import nodes, pod, running, virtually, worker, workload


@virtually
async def test_the_pods_of_a_workload_are_bound_by_one_decision():
    async with running(worker("a"), worker("b")) as system:
        await system.workload(workload("chat", 3, gpus=2))

        where = await system.where()

        assert set(where.values()) == {"a"} or set(where.values()) == {"b"}
        marked = [(await system.pod(name))["metadata"]["annotations"] for name in where]
        assert len({each[RECORD] for each in marked}) == 1
        assert {each[EPOCH] for each in marked} == {"1"}
        cards = [card["index"] for each in marked for card in orjson.loads(each[DEVICES])]
        assert sorted(cards) == [0, 1, 2, 3, 4, 5]
        assert sorted(orjson.loads(each[BOOKING]).get("replica") for each in marked) == [0, 1, 2]


@virtually
async def test_a_bare_pod_is_placed_and_one_of_another_scheduler_counts_where_it_is():
    async with running(worker("a", 2)) as system:
        foreign = pod("foreign", 1, schedulerName="default-scheduler", nodeName="a")
        await system.create(foreign, pod("one"), pod("two"))

        where = await system.where()

        assert sorted(map(str, (where["one"], where["two"]))) == ["None", "a"]


@virtually
async def test_a_pod_without_a_place_says_why_and_is_placed_when_room_comes():
    async with running(worker("a", 1)) as system:
        await system.create(pod("first"), pod("second"))
        (condition,) = (await system.pod("second"))["status"]["conditions"]
        assert (condition["type"], condition["status"], condition["reason"]) == (
            "PodScheduled",
            "False",
            "Unschedulable",
        )
        assert "gpu-count-short" in condition["message"]

        await system.delete("first")

        assert (await system.where()) == {"second": "a"}


@virtually
async def test_a_gang_waits_whole_and_lands_whole_without_a_timer():
    async with running(worker("a", 4)) as system:
        await system.create(pod("small", 1))
        await system.workload(workload("gang", 4, gang={}))
        assert set((await system.where()).values()) == {"a", None}

        await system.delete("small")

        assert set((await system.where()).values()) == {"a"}


@virtually
async def test_a_worker_that_comes_takes_what_waits():
    async with running() as system:
        await system.workload(workload("chat", 2))
        assert set((await system.where()).values()) == {None}

        await system.create(*nodes(worker("late")))

        assert set((await system.where()).values()) == {"late"}


@virtually
async def test_a_cordoned_worker_gets_nothing_until_it_is_opened():
    async with running(worker("a")) as system:
        await system.patch("Node", "a", lambda old: {**old, "spec": {"unschedulable": True}})
        await system.create(pod("one"))
        assert (await system.where()) == {"one": None}

        await system.patch("Node", "a", lambda old: {**old, "spec": {}})

        assert (await system.where()) == {"one": "a"}


@virtually
async def test_the_higher_priority_is_placed_first():
    async with running() as system:
        await system.create(pod("low", priority=1), pod("high", priority=9))
        await system.create(*nodes(worker("a", 1)))

        assert (await system.where()) == {"low": None, "high": "a"}


@virtually
async def test_a_workload_that_may_preempt_takes_the_place_of_a_lower_priority():
    async with running(worker("a", 2)) as system:
        await system.create(pod("old", 2, priority=1, terminationGracePeriodSeconds=30))
        await system.workload(workload("urgent", 1, gpus=2, priority=10, preemption="lower-priority"))
        victim = await system.pod("old")
        assert victim["metadata"]["annotations"]["bayplan.io/preempted-by"] == "default/urgent"
        assert "deletionTimestamp" in victim["metadata"]
        assert (await system.where())["urgent-0"] is None

        await system.delete("old")

        assert (await system.where()) == {"urgent-0": "a"}
        assert "Preempted" in await system.told("old")


@virtually
async def test_a_pod_that_goes_while_it_is_bound_gives_its_room_back():
    async with running(worker("a", 1)) as system:
        await system.store.create(PODS, pod("one"))
        for _ in range(3):
            await asyncio.sleep(0)
        await system.delete("one")
        await system.create(pod("two"))

        assert (await system.where()) == {"two": "a"}


@virtually
async def test_a_restart_changes_no_placement():
    shelf = MemoryShelf()
    async with running(worker("a", 4), shelf=shelf) as system:
        await system.workload(workload("chat", 3))
        before = await system.where()
        ledger = [entry.booking for entry in system.loop.live.state.ledger.entries]
    async with running(shelf=shelf, epoch=2) as system:
        again = [entry.booking for entry in system.loop.live.state.ledger.entries]

        assert await system.where() == before
        assert sorted(again, key=str) == sorted(ledger, key=str)


@virtually
async def test_members_of_a_pod_group_are_placed_together_or_not_at_all():
    group = {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {"minMember": 3},
    }
    label = {"scheduling.x-k8s.io/pod-group": "train"}
    async with running(worker("a", 4)) as system:
        await system.create(group, pod("m0", labels=label), pod("m1", labels=label))
        assert set((await system.where()).values()) == {None}

        await system.create(pod("m2", labels=label))

        assert set((await system.where()).values()) == {"a"}


@virtually
async def test_a_gang_waits_until_its_owner_has_made_enough_pods():
    async with running(worker("a", 3)) as system:
        (owner,) = await system.create(workload("gang", 4, gang={}))
        await system.create(*(pod(f"gang-{number}", 0, owner=owner) for number in range(3)))
        assert set((await system.where()).values()) == {None}
        assert "gang-short" in (await system.pod("gang-0"))["status"]["conditions"][0]["message"]

        await system.create(pod("gang-3", 0, owner=owner))

        assert set((await system.where()).values()) == {None}
