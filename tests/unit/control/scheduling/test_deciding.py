import asyncio
import logging

import pytest

from bayplan.control.scheduling.deciding import preempts
from bayplan.control.scheduling.units import unit_of
from unit.control.scheduling.scheduler import nodes, pod, running, virtually, worker, workload


def preempting(name="urgent", gpus=2, **more):
    return workload(name, 1, gpus=gpus, priority=9, preemption="lower-priority", **more)


async def sized(system, document):
    """What a stored Pod asks for."""
    waiting = system.loop.waiting.get(unit_of(document))
    return system.loop.sized(waiting.unit)


@virtually
async def test_equal_workloads_that_the_same_cluster_refuses_share_the_refusal():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder"))
        await system.create(pod("first"), pod("second"), pod("bigger", 2))
        records = {each.unit.key.name: each.record for each in system.loop.waiting}

        assert records["first"] == records["second"]
        assert records["bigger"] != records["first"]
        assert len(system.records.newest()) == 3


@virtually
async def test_a_refusal_is_shared_only_while_the_cluster_stays_as_it_is():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder"), pod("first"))
        before = next(iter(system.loop.waiting)).record
        await system.create(*nodes(worker("small", 0)))
        await system.create(pod("second"))
        records = {each.unit.key.name: each.record for each in system.loop.waiting}

        assert records["second"] != before


@virtually
async def test_workloads_that_ask_for_distance_from_others_share_nothing():
    async with running(worker("a", 1)) as system:
        await system.create(pod("holder"))
        for name in ("one", "two"):
            await system.workload(workload(name, 1, antiAffinity=["training"]))
        records = {each.unit.key.name: each.record for each in system.loop.waiting}

        assert records["one"] != records["two"]


@virtually
async def test_pods_that_are_being_stopped_anyway_spare_others():
    async with running(worker("a", 2), worker("b", 2)) as system:
        await system.create(pod("leaving", 2, priority=1), pod("staying", 2, priority=1))
        await system.delete("leaving", grace_s=30)
        await system.workload(preempting())

        assert "deletionTimestamp" not in (await system.pod("staying"))["metadata"]
        assert (await system.where())["urgent-0"] is None
        await system.delete("leaving")

        assert (await system.where())["urgent-0"] is not None
        await system.whole()


@virtually
async def test_a_pod_that_is_stuck_is_waited_for_no_longer_than_its_patience():
    async with running(worker("a", 2), worker("b", 2)) as system:
        await system.create(pod("stuck", 2, priority=1), pod("staying", 2, priority=1))
        await system.delete("stuck", grace_s=30)
        await system.workload(preempting())
        assert "deletionTimestamp" not in (await system.pod("staying"))["metadata"]
        await asyncio.sleep(92)
        await system.settle()

        assert "deletionTimestamp" in (await system.pod("staying"))["metadata"]
        await system.delete("staying")
        assert (await system.where())["urgent-0"] is not None


def test_a_mistake_after_the_booking_gives_everything_back(caplog):
    caplog.set_level(logging.CRITICAL)

    @virtually
    async def scenario():
        async with running(worker("a", 2)) as system:
            await system.create(pod("old", 2, priority=1))
            before = await system.whole()
            add = system.records.add

            def broken(plan, *given, **options):
                if plan.victims:
                    raise RuntimeError("a mistake")
                return add(plan, *given, **options)

            system.records.add = broken
            await system.workload(preempting())
            assert await system.whole() == before
            (condition,) = (await system.pod("urgent-0"))["status"]["conditions"]
            assert "RuntimeError in Bayplan or a plugin" in condition["message"]
            system.records.add = add
            await asyncio.sleep(31)
            await system.settle()

            assert "deletionTimestamp" in (await system.pod("old"))["metadata"]

    scenario()


@virtually
async def test_replicas_for_which_there_is_no_pod_any_more_are_given_back():
    label = {"scheduling.x-k8s.io/pod-group": "g"}
    group = {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "default"},
        "spec": {"minMember": 1},
    }
    async with running(worker("a", 4)) as system:
        theirs = pod("theirs", labels=label, schedulerName="default-scheduler")
        await system.create(group, theirs, pod("ours", labels=label))

        assert (await system.where()) == {"theirs": None, "ours": "a"}
        assert len(await system.whole()) == 1


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, False),
        ({"priority": 5}, False),
        ({"priority": 5, "preemption": "lower-priority"}, True),
        ({"priority": 5, "preemption": "never"}, False),
    ],
)
def test_who_may_preempt(spec, expected):
    @virtually
    async def scenario():
        async with running() as system:
            await system.workload(workload("w", 1, **spec))
            assert preempts(await sized(system, await system.pod("w-0"))) is expected

    scenario()
