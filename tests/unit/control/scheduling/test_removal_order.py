from bayplan.cluster.identity import WorkloadKey
from bayplan.control.collections import NODES
from bayplan.control.store import Key
from unit.control.scheduling.scheduler import deployment, pod, replica_set, running, virtually, worker, workload

CHAT = WorkloadKey("default", "chat")


def names(found):
    return [name for _, name, _ in found]


@virtually
async def test_the_replica_goes_first_whose_worker_becomes_empty():
    async with running(worker("a", 4), worker("b", 4)) as system:
        await system.workload(workload("chat", 5))
        where = await system.where()
        alone = [name for name, node in where.items() if list(where.values()).count(node) == 1]
        assert len(alone) == 1

        found = system.loop.removals(CHAT, 2)

        assert len(found) == 2
        assert names(found)[:1] == alone
        namespace, _, reason = found[0]
        assert namespace == "default"
        assert "would be empty without it" in reason


@virtually
async def test_replicas_on_workers_that_are_gone_or_closed_go_first():
    async with running(worker("a", 2), worker("b", 2), worker("c", 2)) as system:
        await system.workload(workload("chat", 6))
        where = await system.where()
        await system.store.delete(Key(NODES, "", "b"))
        await system.patch("Node", "c", lambda old: {**old, "spec": {"unschedulable": True}})

        found = system.loop.removals(CHAT, 6)

        assert [where[name] for name in names(found)] == ["b", "b", "c", "c", "a", "a"]
        assert "no longer in the cluster" in found[0][2]
        assert "cordoned" in found[2][2]


@virtually
async def test_pods_that_are_going_already_are_not_chosen_again():
    async with running(worker("a", 4)) as system:
        await system.workload(workload("chat", 4))
        first = names(system.loop.removals(CHAT, 1))
        await system.delete(*first, grace_s=30)

        assert len(names(system.loop.removals(CHAT, 4))) == 3
        assert first[0] not in names(system.loop.removals(CHAT, 4))


@virtually
async def test_a_replica_that_spans_workers_goes_by_its_first_pod():
    async with running(worker("a", 2), worker("b", 2)) as system:
        await system.workload(workload("big", 1, gpus=4, distributed=True))

        assert names(system.loop.removals(WorkloadKey("default", "big"), 5)) == ["big-0"]


@virtually
async def test_a_strategy_that_spreads_takes_from_the_fullest_worker():
    async with running(worker("a", 4), worker("b", 4)) as system:
        await system.create(pod("filler", 2))
        await system.workload(workload("chat", 5, strategy="spread"))
        where = await system.where()
        counts = {node: sum(each == node for name, each in where.items() if name != "filler") for node in ("a", "b")}
        fullest = max(counts, key=counts.get)

        found = system.loop.removals(CHAT, 1)

        assert where[names(found)[0]] == fullest
        assert f"worker {fullest} has the most replicas" in found[0][2]


@virtually
async def test_a_workload_that_holds_nothing():
    async with running(worker("a")) as system:
        assert system.loop.removals(CHAT, 3) == []
        await system.workload(workload("chat", 1))
        assert system.loop.removals(CHAT, 0) == []


@virtually
async def test_pods_of_a_replica_set_are_known_by_their_deployment():
    async with running(worker("a")) as system:
        (above,) = await system.create(deployment("web"))
        (owner,) = await system.create(replica_set("web-1", above))
        await system.create(pod("web-1-a", owner=owner), pod("web-1-b", owner=owner))

        assert {name[0] for name in system.held()} == {"web"}
        assert len(system.loop.removals(WorkloadKey("default", "web"), 5)) == 2
        assert system.loop.removals(WorkloadKey("default", "web-1"), 5) == []
