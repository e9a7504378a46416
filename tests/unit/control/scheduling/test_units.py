import pytest

from bayplan.control.collections import (
    AGENT_CLASSES,
    AGENT_POOLS,
    JOBS,
    POD_GROUPS,
    PODS,
    REPLICA_SETS,
    STATEFUL_SETS,
    WORKLOADS,
)
from bayplan.control.scheduling.units import Unit, UnitKey, is_counted, is_pending, role_of_pod, unit_of
from bayplan.control.store import Key
from bayplan.framework.errors import InputError
from bayplan.manifests.marks import ROLE, SHARD, WORKLOAD
from unit.control.scheduling.scheduler import (
    deployment,
    nodes,
    pod,
    replica_set,
    running,
    virtually,
    worker,
    workload,
)

GROUP = "scheduling.x-k8s.io/pod-group"


def owner(kind, group, name="o"):
    version = {"": "v1"}.get(group, f"{group}/v1")
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "uid": "u", "namespace": "default"}}


def owned(kind, group, **labels):
    found = pod("p", owner=owner(kind, group))
    found["metadata"]["labels"] = labels
    return found


def deleted(found):
    found["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return found


UNITS = {
    "a Pod by itself": (pod("p"), UnitKey(PODS, "default", "p")),
    "of a workload": (owned("Workload", "bayplan.io", **{WORKLOAD: "o"}), UnitKey(WORKLOADS, "default", "o")),
    "of a workload, but no replica": (owned("Workload", "bayplan.io"), UnitKey(PODS, "default", "p")),
    "of a pool": (owned("AgentPool", "neuronetes.io", **{WORKLOAD: "o"}), UnitKey(AGENT_POOLS, "default", "o")),
    "of a group": (pod("p", labels={GROUP: "g"}), UnitKey(POD_GROUPS, "default", "g")),
    "of a pool and a group": (
        owned("AgentPool", "neuronetes.io", **{WORKLOAD: "o", GROUP: "g"}),
        UnitKey(AGENT_POOLS, "default", "o"),
    ),
    "of a set and a group": (owned("ReplicaSet", "apps", **{GROUP: "g"}), UnitKey(POD_GROUPS, "default", "g")),
    "of a set": (owned("ReplicaSet", "apps"), UnitKey(REPLICA_SETS, "default", "o")),
    "of a StatefulSet": (owned("StatefulSet", "apps"), UnitKey(STATEFUL_SETS, "default", "o")),
    "of a Job": (owned("Job", "batch"), UnitKey(JOBS, "default", "o")),
    "of something else": (owned("Robot", "robots.io"), UnitKey(PODS, "default", "p")),
    "of another group's Job": (owned("Job", "robots.io"), UnitKey(PODS, "default", "p")),
}


@pytest.mark.parametrize(("document", "key"), UNITS.values(), ids=UNITS)
def test_the_unit_of_a_pod(document, key):
    assert unit_of(document) == key


PENDING = {
    "it is ours": (pod("p"), True),
    "by another name of ours": (pod("p", schedulerName="alnair-cost-saving"), True),
    "of another scheduler": (pod("p", schedulerName="default-scheduler"), False),
    "it has a place": (pod("p", nodeName="a"), False),
    "it is being deleted": (deleted(pod("p")), False),
    "a gate holds it back": (pod("p", schedulingGates=[{"name": "g"}]), False),
    "it ended": ({**pod("p"), "status": {"phase": "Failed"}}, False),
    "it has no status": ({**pod("p"), "status": {}}, True),
    "a part of a replica": (pod("p", labels={SHARD: "q"}), False),
}


@pytest.mark.parametrize(("document", "pending"), PENDING.values(), ids=PENDING)
def test_which_pods_are_ours_to_place(document, pending):
    assert is_pending(document) is pending


def test_members_that_count():
    going = deleted(pod("p", nodeName="a"))

    assert is_counted(pod("p"))
    assert is_counted(going)
    assert not is_counted(deleted(pod("p")))
    assert not is_counted({**pod("p"), "status": {"phase": "Succeeded"}})


def test_the_role_of_a_pod():
    assert (role_of_pod(pod("p")), role_of_pod(pod("p", labels={ROLE: "decode"}))) == ("", "decode")


def group(minimum=2, name="g"):
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"minMember": minimum},
    }


def member(name, **spec):
    return pod(name, labels={GROUP: "g"}, **spec)


@virtually
async def test_a_group_counts_members_that_have_a_place_and_not_those_that_ended():
    async with running(worker("a", 3)) as system:
        await system.create(group(2), member("m0"), member("m1"))
        assert set((await system.where()).values()) == {"a"}

        await system.create(member("m2"))
        assert (await system.where())["m2"] == "a"

        await system.patch("Pod", "m0", lambda old: {**old, "status": {"phase": "Failed"}}, "status")
        await system.create(member("m3"))
        assert (await system.where())["m3"] == "a"
        await system.whole()


@virtually
async def test_a_group_whose_object_comes_later():
    async with running(worker("a", 4)) as system:
        await system.create(member("m0"), member("m1"))
        await system.create(group(2))

        assert set((await system.where()).values()) == {"a"}


@virtually
async def test_members_of_a_group_with_different_demands_get_what_each_asks_for():
    async with running(worker("a", 4), worker("b", 1)) as system:
        big = pod("big", 4, labels={GROUP: "g"})
        await system.create(group(2), big, member("small"))

        assert (await system.where()) == {"big": "a", "small": "b"}


@virtually
async def test_nothing_is_kept_of_groups_whose_pods_are_gone():
    async with running(worker("a", 4)) as system:
        await system.create(group(2), member("m0"), member("m1"))
        await system.delete("m0", grace_s=30)
        assert system.loop._reader._leaving
        await system.delete("m0", "m1")

        assert (system.loop._reader._members, system.loop._reader._leaving) == ({}, {})


@virtually
async def test_a_pod_that_leaves_its_group_is_planned_by_itself():
    async with running(worker("a", 4)) as system:
        await system.create(group(3), member("m0"), member("m1"))
        assert set((await system.where()).values()) == {None}

        def change(old):
            old["metadata"]["labels"] = {}
            return old

        await system.patch("Pod", "m0", change)

        assert (await system.where()) == {"m0": "a", "m1": None}


@virtually
async def test_a_member_that_leaves_does_not_count_for_the_minimum():
    async with running(worker("a", 4)) as system:
        owner = await system.workload(workload("gang", 4, gang={}))
        await system.delete("gang-0", grace_s=30)
        await system.create(pod("gang-4", 0, owner=owner))
        assert (await system.where())["gang-4"] is None
        await system.delete("gang-0")

        assert (await system.where())["gang-4"] == "a"
        await system.whole()


@virtually
async def test_a_unit_whose_owner_is_gone_cannot_be_read():
    async with running(worker("a")) as system:
        with pytest.raises(InputError, match="is gone, and its Pods with it; wait until its Pods are deleted"):
            system.loop.sized(Unit(UnitKey(WORKLOADS, "default", "o")))


@virtually
async def test_only_the_class_of_a_pool_is_read_with_it():
    async with running(worker("a")) as system:
        kind = {
            "apiVersion": "neuronetes.io/v1alpha1",
            "kind": "AgentClass",
            "metadata": {"name": "broken", "namespace": "default"},
            "spec": {"modelRef": 5, "maxContextLength": "long"},
        }
        await system.store.create(AGENT_CLASSES, kind)
        pool = {
            "apiVersion": "neuronetes.io/v1alpha1",
            "kind": "AgentPool",
            "metadata": {"name": "pool", "namespace": "default"},
            "spec": {"minReplicas": 1, "maxReplicas": 2, "gpuRequirements": {"count": 1}},
        }
        made = (await system.store.create(AGENT_POOLS, pool)).document()
        await system.create(pod("pool-x", 0, owner=made, labels={WORKLOAD: "pool"}))

        assert (await system.where()) == {"pool-x": "a"}


@virtually
async def test_an_owner_that_changes_is_read_anew():
    async with running(worker("a", 2)) as system:
        owner = await system.workload(workload("chat", 1, gpus=3))
        assert (await system.where()) == {"chat-0": None}
        key = Key(WORKLOADS, "default", "chat")
        await system.store.patch(key, lambda old: {**old, "spec": {**old["spec"], "gpus": {"count": 2}}})
        await system.settle()

        assert (await system.where()) == {"chat-0": "a"}
        assert owner["metadata"]["name"] == "chat"


@virtually
async def test_two_updates_of_a_deployment_hold_their_bookings_under_its_name():
    async with running(worker("a", 4)) as system:
        (above,) = await system.create(deployment("web"))
        for number in (1, 2):
            (made,) = await system.create(replica_set(f"web-{number}", above))
            await system.create(pod(f"web-{number}-a", owner=made), pod(f"web-{number}-b", owner=made))

        assert set((await system.where()).values()) == {"a"}
        assert await system.whole() == [("web", number, "a") for number in range(4)]


@virtually
async def test_pods_of_a_unit_that_come_one_by_one_are_placed_as_they_come():
    async with running() as system:
        (owner,) = await system.create(workload("chat", 3))
        await system.create(pod("chat-0", 0, owner=owner))
        await system.create(*nodes(worker("a", 2)))
        await system.create(pod("chat-1", 0, owner=owner), pod("chat-2", 0, owner=owner))

        where = await system.where()
        assert sorted(map(str, where.values())) == ["None", "a", "a"]
        assert await system.whole() == [("chat", 0, "a"), ("chat", 1, "a")]
