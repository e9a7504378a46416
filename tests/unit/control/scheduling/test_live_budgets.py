import pytest

from bayplan.control.collections import CLUSTERS, DISRUPTION_BUDGETS
from bayplan.control.store import Key
from unit.control.scheduling.scheduler import nodes, pod, running, virtually, worker, workload


def budget(name="b", selector=None, namespace="default", **limit):
    chosen = {"bayplan.io/workload": "chat"} if selector is None else selector
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": chosen}, **(limit or {"minAvailable": 3})},
    }


def urgent(name="urgent", gpus=2):
    return workload(name, 1, gpus=gpus, priority=9, preemption="lower-priority")


async def protected(system):
    live = system.loop.live
    live.follow_budgets()
    return {each.workload: each.min_available for each in live.state.cluster.budgets}


async def store(system, *budgets):
    for each in budgets:
        await system.store.create(DISRUPTION_BUDGETS, each)
    await system.settle()


@pytest.mark.parametrize(
    ("budgets", "kept"),
    [
        ([], {}),
        ([budget()], {"chat": 3}),
        ([budget(maxUnavailable=1)], {"chat": 3}),
        ([budget(minAvailable="60%")], {"chat": 3}),
        ([budget(), budget("stricter", minAvailable=4)], {"chat": 4}),
        ([budget(selector={"app": "nobody"})], {}),
        ([budget(namespace="kube-system")], {}),
    ],
    ids=["none", "a number", "how many may go", "a part", "the stricter of two", "selects nobody", "elsewhere"],
)
def test_how_many_must_stay(budgets, kept):
    @virtually
    async def scenario():
        async with running(worker("a")) as system:
            await system.workload(workload("chat", 4))
            await store(system, *budgets)

            assert await protected(system) == kept

    scenario()


@virtually
async def test_budgets_follow_pods_that_come_go_end_and_change():
    async with running(worker("a")) as system:
        owner = await system.workload(workload("chat", 4))
        await store(system, budget(maxUnavailable=1))
        assert await protected(system) == {"chat": 3}

        await system.create(pod("chat-4", 0, owner=owner))
        assert await protected(system) == {"chat": 4}
        await system.delete("chat-0")
        assert await protected(system) == {"chat": 3}
        await system.patch("Pod", "chat-1", lambda old: {**old, "status": {"phase": "Failed"}}, "status")
        assert await protected(system) == {"chat": 2}
        await system.store.delete(Key(DISRUPTION_BUDGETS, "default", "b"))
        await system.settle()
        assert await protected(system) == {}
        assert (system.loop.live._budgets._pods, system.loop.live._budgets._limits) == ({}, {})


@virtually
async def test_budgets_of_clusters_count_and_the_stricter_one_wins():
    async with running(worker("a")) as system:
        await system.workload(workload("chat", 4))
        own = {"apiVersion": "bayplan.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "c"}}
        await system.store.create(CLUSTERS, {**own, "budgets": [{"workload": "chat", "minAvailable": 2}]})
        await system.settle()
        assert await protected(system) == {"chat": 2}
        await store(system, budget())

        assert await protected(system) == {"chat": 3}


@virtually
async def test_a_budget_that_cannot_be_read_protects_nobody_and_stops_nothing():
    async with running(worker("a", 2)) as system:
        await system.create(pod("old", 2, priority=1))
        await store(system, budget(minAvailable=1, maxUnavailable=1))
        await system.workload(urgent())

        assert "deletionTimestamp" in (await system.pod("old"))["metadata"]


@virtually
async def test_statuses_of_pods_and_budgets_make_nothing_be_counted_again():
    async with running(worker("a")) as system:
        await system.workload(workload("chat", 4))
        await store(system, budget())
        await protected(system)
        budgets = system.loop.live._budgets
        await system.patch("Pod", "chat-0", lambda old: {**old, "status": {"phase": "Running"}}, "status")
        key = Key(DISRUPTION_BUDGETS, "default", "b")
        await system.store.patch(key, lambda old: {**old, "status": {"currentHealthy": 4}}, subresource="status")
        await system.settle()

        assert budgets._stale == set()


async def is_going(system, *names):
    return {name for name in names if "deletionTimestamp" in (await system.pod(name))["metadata"]}


@virtually
async def test_work_that_a_budget_holds_up_is_tried_again_when_the_budget_goes():
    async with running(worker("a", 4)) as system:
        await system.workload(workload("chat", 4, priority=1))
        await store(system, budget())
        await system.workload(urgent())
        names = [f"chat-{number}" for number in range(4)]
        assert await is_going(system, *names) == set()

        await system.store.delete(Key(DISRUPTION_BUDGETS, "default", "b"))
        await system.settle()

        assert len(await is_going(system, *names)) == 2


@virtually
async def test_work_that_a_budget_holds_up_is_tried_again_when_another_replica_has_a_place():
    async with running(worker("a", 4)) as system:
        owner = await system.workload(workload("chat", 4, priority=1))
        await store(system, budget())
        await system.workload(urgent())
        names = [f"chat-{number}" for number in range(4)]
        await system.create(pod("chat-4", 0, owner=owner))
        assert await is_going(system, *names) == set()

        await system.create(*nodes(worker("b", 1)))
        await system.settle()

        assert (await system.where())["chat-4"] == "b"
        assert len(await is_going(system, *names)) == 2
