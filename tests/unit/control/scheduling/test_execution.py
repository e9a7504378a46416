import asyncio

import orjson

from bayplan.control.collections import NODES, PODS
from bayplan.control.scheduling.execution import GRACE_S
from bayplan.control.scheduling.live_cluster import PATIENCE_S
from bayplan.control.scheduling.points import Allow, DeniedError, Wait
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import StoreFailedError
from bayplan.manifests.marks import MIG_WANTED, PREEMPTED_BY, SHARD, WORKER
from bayplan.stores.memory import MemoryShelf
from bayplan.stores.namespaces import NAMESPACES
from unit.control.faults import FailingStore, LateStore
from unit.control.scheduling.scheduler import nodes, pod, running, virtually, worker, workload


def urgent(name="urgent", gpus=2, **more):
    return workload(name, 1, gpus=gpus, priority=10, preemption="lower-priority", **more)


async def later(system, seconds):
    await asyncio.sleep(seconds)
    await system.settle()


class Refusing:
    """A pre-bind that refuses while it is told to."""

    def __init__(self, reason="not today"):
        self.reason = reason

    async def pre_bind(self, decision):
        if self.reason:
            raise DeniedError(self.reason)


# Preemption


@virtually
async def test_a_victim_is_told_why_and_gets_its_own_grace():
    async with running(worker("a", 2)) as system:
        await system.create(pod("old", 2, priority=1, terminationGracePeriodSeconds=7))
        await system.workload(urgent())

        victim = await system.pod("old")
        assert victim["metadata"]["annotations"][PREEMPTED_BY] == "default/urgent"
        assert victim["metadata"]["deletionGracePeriodSeconds"] == 7
        (condition,) = [each for each in victim["status"]["conditions"] if each["type"] == "DisruptionTarget"]
        assert condition["reason"] == "PreemptionByScheduler"
        assert "makes room for default/urgent: priority 1 < 10; frees 2 cards on a" in condition["message"]
        await system.delete("old")
        assert await system.whole() == [("urgent", 0, "a")]


@virtually
async def test_a_victim_does_not_learn_names_of_other_namespaces():
    async with running(worker("a", 2)) as system:
        await system.store.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
        old = pod("old", 2, priority=1)
        old["metadata"]["namespace"] = "team"
        await system.create(old)
        await system.workload(urgent())

        victim = (await system.store.get(Key(PODS, "team", "old"))).document()
        by = victim["metadata"]["annotations"][PREEMPTED_BY]
        (condition,) = [each for each in victim["status"]["conditions"] if each["type"] == "DisruptionTarget"]
        assert f"makes room for a workload of another namespace (record {by}): priority 1 < 10" in condition["message"]
        assert "urgent" not in condition["message"]


@virtually
async def test_a_victim_that_says_no_grace_gets_the_usual_one():
    async with running(worker("a", 2)) as system:
        await system.create(pod("old", 2, priority=1, terminationGracePeriodSeconds=None))
        await system.workload(urgent())

        assert (await system.pod("old"))["metadata"]["deletionGracePeriodSeconds"] == GRACE_S


@virtually
async def test_a_victim_that_does_not_stop_is_not_waited_for_for_ever():
    async with running(worker("a", 2), worker("b", 2)) as system:
        await system.create(pod("stuck", 2, priority=1))
        await system.create(pod("other", 2, priority=2))
        await system.workload(urgent())
        assert "deletionTimestamp" in (await system.pod("stuck"))["metadata"]

        await later(system, GRACE_S + PATIENCE_S + 1)
        (condition,) = (await system.pod("urgent-0"))["status"]["conditions"]
        assert "the victim default/stuck is still there after 90 s" in condition["message"]
        await later(system, 1)
        assert "deletionTimestamp" in (await system.pod("other"))["metadata"]
        await system.delete("other")

        assert (await system.where())["urgent-0"] is not None


class Gate:
    """Lets decisions wait until it is opened."""

    poll_s = 0.1

    def __init__(self):
        self.answer = Allow()

    def permit(self, decision):
        return self.answer


@virtually
async def test_victims_of_a_workload_that_goes_away_first_are_spared():
    gate = Gate()
    async with running(worker("a", 2), points=(gate,)) as system:
        await system.create(pod("old", 2, priority=1))
        gate.answer = Wait(30.0)
        await system.workload(urgent())
        await system.delete("urgent-0")
        gate.answer = Allow()
        await later(system, 5)

        assert "deletionTimestamp" not in (await system.pod("old"))["metadata"]
        assert await system.whole() == [("old", 0, "a")]


@virtually
async def test_a_workload_that_goes_away_while_its_victims_stop_leaves_nothing_behind():
    async with running(worker("a", 2)) as system:
        await system.create(pod("old", 2, priority=1))
        await system.workload(urgent())
        await system.delete("urgent-0")
        await system.delete("old")
        await system.create(pod("next", 2))

        assert (await system.where()) == {"next": "a"}
        assert await system.whole() == [("next", 0, "a")]
        assert not system.loop.is_idle or not system.loop._commits.busy


@virtually
async def test_pods_that_come_while_victims_stop_have_their_turn_afterwards():
    async with running(worker("a", 4)) as system:
        await system.create(pod("old", 2, priority=1), pod("older", 2, priority=1))
        asked = urgent()
        owner = await system.workload(asked)
        await system.patch("Workload", "urgent", lambda old: {**old, "spec": {**old["spec"], "replicas": 2}})
        await system.create(pod("urgent-1", 0, owner=owner))
        going = [name for name in ("old", "older") if "deletionTimestamp" in (await system.pod(name))["metadata"]]
        assert len(going) == 1

        await system.delete(*going)
        await later(system, 1)
        (other,) = {"old", "older"} - set(going)
        assert "deletionTimestamp" in (await system.pod(other))["metadata"]
        await system.delete(other)

        assert (await system.where()) == {"urgent-0": "a", "urgent-1": "a"}
        await system.whole()


@virtually
async def test_a_restart_in_the_middle_stops_nobody_twice():
    shelf = MemoryShelf()
    async with running(worker("a", 2), worker("b", 2), shelf=shelf) as system:
        await system.create(pod("one", 2, priority=1), pod("two", 2, priority=1))
        await system.workload(urgent())
        going = {name for name in ("one", "two") if "deletionTimestamp" in (await system.pod(name))["metadata"]}
        assert len(going) == 1
    async with running(shelf=shelf, epoch=2) as system:
        await later(system, 5)
        now = {name for name in ("one", "two") if "deletionTimestamp" in (await system.pod(name))["metadata"]}
        assert now == going

        await system.delete(*going)
        assert (await system.where())["urgent-0"] is not None
        await system.whole()


@virtually
async def test_another_pod_of_the_victims_name_is_not_stopped():
    gate, late = Gate(), []

    def wrap(store):
        late.append(LateStore(store, PODS))
        return late[0]

    async with running(worker("a", 2), points=(gate,), wrap=wrap) as system:
        await system.create(pod("old", 2, priority=1))
        gate.answer = Wait(30.0)
        await system.workload(urgent())
        await later(system, 1)
        late[0].hold()
        await system.store.delete(Key(PODS, "default", "old"), Deletion(grace_s=0))
        await system.store.create(PODS, pod("old", 0, nodeName="a"))
        gate.answer = Allow()
        await asyncio.sleep(5)
        late[0].go_on()
        await later(system, 5)

        successor = await system.pod("old")
        assert PREEMPTED_BY not in successor["metadata"].get("annotations", {})
        assert "deletionTimestamp" not in successor["metadata"]
        assert (await system.where())["urgent-0"] == "a"


# MIG


def sliced(name="a", cards=1):
    """A worker whose idle cards may be cut."""
    return {
        "name": name,
        "cpu": 64,
        "ram": "512Gi",
        "gpus": {
            "count": cards,
            "model": "A100-SXM4-80GB",
            "memory": "80Gi",
            "mig": {"enabled": True, "reconfigurable": True, "slices": []},
        },
    }


def slice_workload(name="slice"):
    asked = workload(name)
    asked["spec"] = {"replicas": 1, "gpus": {"mig": "1g.10gb"}}
    return asked


async def wanted(system, node="a"):
    text = (await system.store.get(Key(NODES, "", node))).document()["metadata"]["annotations"].get(MIG_WANTED)
    return None if text is None else orjson.loads(text)


async def cut(system, node, *slices):
    """What a worker does when it is asked to."""
    described = sliced(node)
    described["gpus"]["mig"]["slices"] = [*slices]
    (document,) = nodes(described)

    def change(old):
        marks = {key: value for key, value in old["metadata"]["annotations"].items() if key != MIG_WANTED}
        marks[WORKER] = document["metadata"]["annotations"][WORKER]
        old["metadata"]["annotations"] = marks
        return old

    await system.patch("Node", node, change)


@virtually
async def test_cards_are_cut_before_a_pod_is_bound():
    async with running(sliced()) as system:
        await system.workload(slice_workload())
        assert (await system.where()) == {"slice-0": None}
        (asked,) = await wanted(system)
        assert asked["index"] == 0
        (create,) = asked["create"]

        await cut(system, "a", create)
        await later(system, 1)

        assert (await system.where()) == {"slice-0": "a"}
        await system.whole()


@virtually
async def test_cards_that_nobody_cuts_are_not_waited_for_for_ever():
    async with running(sliced()) as system:
        await system.workload(slice_workload())
        await later(system, PATIENCE_S + 1)

        (condition,) = (await system.pod("slice-0"))["status"]["conditions"]
        assert "gets 1g.10gb" in condition["message"]
        assert "worker a did not do it within 60 s" in condition["message"]


@virtually
async def test_cards_are_not_cut_for_what_was_given_up():
    async with running(sliced()) as system:
        await system.workload(slice_workload())
        assert len(await wanted(system)) == 1
        await system.delete("slice-0")
        await later(system, PATIENCE_S + 1)

        assert await wanted(system) is None
        assert await system.whole() == []


# Shards


@virtually
async def test_shards_go_when_the_commit_fails():
    gate = Refusing()
    async with running(worker("a", 2), worker("b", 2), points=(gate,)) as system:
        await system.workload(workload("big", 1, gpus=4, distributed=True))

        assert (await system.where()) == {"big-0": None}
        assert await system.whole() == []
        gate.reason = ""
        await later(system, 60)

        assert set((await system.where()).values()) == {"a", "b"}


@virtually
async def test_a_pod_that_has_the_name_of_a_shard_is_left_alone():
    async with running(worker("a", 2), worker("b", 2), worker("c", 1)) as system:
        await system.create(pod("big-0-1", 9))
        await system.workload(workload("big", 1, gpus=4, distributed=True))
        await later(system, 30)

        assert (await system.where()) == {"big-0": None, "big-0-1": None}
        (condition,) = (await system.pod("big-0"))["status"]["conditions"]
        assert "default/big-0-1: another Pod has the name of a part of it" in condition["message"]
        assert await system.whole() == []
        await system.delete("big-0-1")
        await later(system, 60)

        assert len([node for node in (await system.where()).values() if node]) == 2


@virtually
async def test_shards_that_a_crash_left_are_used_again_or_deleted():
    gate, failing = Refusing(), []

    def wrap(store):
        failing.append(FailingStore(store))
        return failing[0]

    def full(verb, given):
        if verb == "delete":
            raise StoreFailedError("disk full", place="store")

    async with running(worker("a", 2), worker("b", 2), points=(gate,), wrap=wrap) as system:
        failing[0].fail = full
        await system.workload(workload("big", 1, gpus=4, distributed=True))
        assert (await system.pod("big-0-1"))["metadata"]["labels"][SHARD] == "big-0"
        failing[0].fail, gate.reason = (lambda verb, given: None), ""
        await system.create(*nodes(worker("c", 4)))
        await system.store.delete(Key(NODES, "", "a"), Deletion())
        await later(system, 60)

        assert (await system.where()) == {"big-0": "c"}
        await system.whole()
