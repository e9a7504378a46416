"""Statuses of a running system: what wakes them, how often they are written, and what they leave alone."""

from contextlib import aclosing

from bayplan.control.collections import (
    AGENT_CLASSES,
    AGENT_POOLS,
    DEPLOYMENTS,
    DISRUPTION_BUDGETS,
    MODELS,
    NODES,
    POD_GROUPS,
    PODS,
    TOOL_BINDINGS,
    WORKLOADS,
)
from bayplan.control.store import ChangeType, Key
from unit.control.controllers.lab import condition, lab, named, node, of_template, pool, run, workload


def neuronetes(kind, name, **spec):
    return {"apiVersion": "neuronetes.io/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def priced(name, usd):
    return node(name, **{"bayplan.io/worker": f'{{"usdPerHour": {usd}}}'})


async def writes_of(it, collection, since):
    """How often objects of a collection were changed after a revision."""
    async with aclosing(it.store.watch_many(collection, since=since)) as watch:
        return sum(each.type is ChangeType.MODIFIED for each in await anext(watch))


def test_a_burst_of_pods_is_a_few_writes():
    async def scenario():
        async with lab() as it:
            await it.apply(pool(replicas=300))
            await it.settle()
            since = (await it.store.list(AGENT_POOLS)).revision
            for number, pod in enumerate(await it.pods()):
                await it.bind(pod)
                await it.become(pod)
                if number % 3 == 0:
                    await it.settle(0.01)
            await it.settle()
            return await writes_of(it, AGENT_POOLS, since), (await it.get(AGENT_POOLS, "pool"))["status"]

    writes, status = run(scenario())

    assert (status["phase"], status["readyReplicas"]) == ("Ready", 300)
    assert 1 < writes < 12


def test_a_status_that_is_right_is_not_written():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=2))
            await it.settle()
            await it.run_all()
            before = (await it.store.list(WORKLOADS)).revision
            async with lab(store=it.store) as second:
                await second.settle(600)
            return before, await it.get(WORKLOADS, "chat")

    before, after = run(scenario())

    assert int(after["metadata"]["resourceVersion"]) <= before


def test_the_reason_why_pods_wait_is_told_and_cleared():
    async def scenario():
        async with lab() as it:
            await it.apply(pool(replicas=2))
            await it.settle()
            for pod in await it.pods():
                await it.refuse(pod, "Unschedulable", "gpu-memory-short: 8 GiB free, 40 needed")
            await it.settle()
            waiting = await it.get(AGENT_POOLS, "pool")
            await it.run_all()
            return waiting, await it.get(AGENT_POOLS, "pool")

    waiting, ready = run(scenario())

    assert waiting["status"]["phase"] == "Pending"
    assert condition(waiting, "Scheduled")["reason"] == "Unschedulable"
    assert "gpu-memory-short" in condition(waiting, "Scheduled")["message"]
    assert ready["status"]["phase"] == "Ready"
    assert condition(ready, "Scheduled")["reason"] == "Scheduled"


def test_the_cost_of_a_pool_counts_each_worker_once():
    async def scenario():
        async with lab() as it:
            await it.apply(priced("w1", 2.5))
            await it.apply(priced("w2", 4))
            await it.apply(pool(replicas=3))
            await it.settle()
            pods = await it.pods()
            for pod, worker in zip(pods, ("w1", "w1", "w2"), strict=True):
                await it.bind(pod, worker)
            await it.settle()
            known = (await it.get(AGENT_POOLS, "pool"))["status"]
            await it.delete(NODES, "w2")
            await it.become(pods[0])
            await it.settle()
            return known, (await it.get(AGENT_POOLS, "pool"))["status"]

    known, unknown = run(scenario())

    assert known["currentCostPerHour"] == 6.5
    assert "currentCostPerHour" not in unknown


def test_an_observed_generation_is_never_of_an_older_wish():
    async def scenario():
        async with lab() as it:
            for replicas in (1, 2, 3):
                await it.apply(workload(replicas=replicas))
            await it.settle()
            return await it.get(WORKLOADS, "chat")

    found = run(scenario())

    assert found["status"]["observedGeneration"] == found["metadata"]["generation"] == 3
    assert found["status"]["desiredReplicas"] == 3


def test_conditions_of_the_api_stay():
    unsupported = {"type": "Unsupported", "status": "True", "reason": "FieldsIgnored", "message": "nothing acts on x"}

    async def scenario():
        async with lab() as it:
            await it.apply({**of_template("Deployment", replicas=1), "status": {"conditions": [unsupported]}})
            await it.settle()
            await it.run_all()
            return await it.get(DEPLOYMENTS, "web")

    assert condition(run(scenario()), "Unsupported") == unsupported


def test_a_pod_group_follows_its_pods():
    def member(name, label):
        metadata = {"name": name, "labels": {label: "g"}}
        spec = {"containers": [{"name": "c", "image": "i"}], "schedulerName": "bayplan"}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}

    group = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": "g"},
        "spec": {"minMember": 2},
    }

    async def scenario():
        async with lab() as it:
            await it.apply(group)
            phases = []
            for name, label in (("a", "scheduling.x-k8s.io/pod-group"), ("b", "pod-group.scheduling.sigs.k8s.io")):
                await it.settle()
                phases.append((await it.get(POD_GROUPS, "g"))["status"]["phase"])
                await it.apply(member(name, label))
            await it.settle()
            phases.append((await it.get(POD_GROUPS, "g"))["status"]["phase"])
            await it.run_all()
            found = await it.get(POD_GROUPS, "g")
            for pod in await it.pods():
                await it.become(pod, phase="Succeeded", ready=False)
            await it.settle()
            await it.delete(PODS, "a")
            await it.settle()
            return phases, found["status"], (await it.get(POD_GROUPS, "g"))["status"]["phase"]

    phases, running, last = run(scenario())

    assert phases == ["Pending", "Pending", "Scheduling"]
    assert (running["phase"], running["running"], running["scheduled"]) == ("Running", 2, 2)
    assert last == "Finished"


def test_a_pod_group_that_waits_too_long_is_told_once():
    group = {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": "g"},
        "spec": {"minMember": 2},
    }

    async def scenario():
        async with lab() as it:
            await it.apply(group)
            await it.settle(47 * 3600)
            early = await it.told("Timeout")
            await it.settle(3600 + 60)
            late, found = await it.told("Timeout"), await it.get(POD_GROUPS, "g")
            return early, late, found

    early, late, found = run(scenario())

    assert early == []
    assert len(late) == 1
    assert condition(found, "TimedOut")["status"] == "True"


def test_a_disruption_budget_counts_what_controllers_expect():
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }

    async def scenario():
        async with lab() as it:
            await it.apply(budget)
            await it.apply(of_template("Deployment", replicas=3))
            await it.settle()
            before = (await it.get(DISRUPTION_BUDGETS, "b"))["status"]
            await it.run_all()
            ready = (await it.get(DISRUPTION_BUDGETS, "b"))["status"]
            await it.become((await it.pods())[0], ready=False)
            await it.settle()
            return before, ready, (await it.get(DISRUPTION_BUDGETS, "b"))["status"]

    def told(status):
        return [status[key] for key in ("currentHealthy", "desiredHealthy", "expectedPods", "disruptionsAllowed")]

    before, ready, after = map(told, run(scenario()))

    assert before == [0, 2, 3, 0]
    assert ready == [3, 2, 3, 1]
    assert after == [2, 2, 3, 0]


def test_a_model_is_where_workers_cache_it_or_pods_serve_it():
    async def scenario():
        async with lab() as it:
            seen = []

            async def look():
                await it.settle()
                status = (await it.get(MODELS, "llama"))["status"]
                seen.append((status["phase"], {each["nodeName"]: each["status"] for each in status["cachedNodes"]}))

            await it.apply(neuronetes("Model", "llama", weightsURI="s3://x", size="1Gi"))
            await it.apply(neuronetes("AgentClass", "agent", modelRef={"name": "llama"}))
            await it.apply(pool(replicas=1, agentClassRef={"name": "agent"}))
            await look()
            (pod,) = await it.pods()
            await it.bind(pod, "w1")
            await look()
            await it.become(pod)
            await look()
            await it.apply(node("w2", **{"bayplan.io/worker": '{"cachedModels": ["llama"]}'}))
            await look()
            await it.delete(PODS, named(pod), grace_s=0)
            await it.delete(NODES, "w2")
            await look()
            return seen

    assert run(scenario()) == [
        ("Pending", {}),
        ("Loading", {"w1": "loading"}),
        ("Ready", {"w1": "ready"}),
        ("Ready", {"w1": "ready", "w2": "ready"}),
        ("Pending", {}),
    ]


def test_classes_and_bindings_follow_what_they_refer_to():
    async def scenario():
        async with lab() as it:
            await it.apply(neuronetes("AgentClass", "agent", modelRef={"name": "llama"}))
            await it.apply(neuronetes("ToolBinding", "tool", agentPoolRef={"name": "pool"}, type="http"))
            await it.settle()
            seen = []

            async def look():
                await it.settle()
                agent, tool = await it.get(AGENT_CLASSES, "agent"), await it.get(TOOL_BINDINGS, "tool")
                seen.append((agent["status"]["phase"], agent["status"]["activePools"], tool["status"]["phase"]))

            await look()
            await it.apply(neuronetes("Model", "llama", weightsURI="s3://x", size="1Gi"))
            await it.apply(pool(replicas=1, agentClassRef={"name": "agent"}))
            await look()
            await it.run_all()
            await look()
            await it.delete(AGENT_POOLS, "pool")
            await it.delete(MODELS, "llama")
            await look()
            return seen

    assert run(scenario()) == [
        ("Pending", 0, "Pending"),
        ("Ready", 1, "Bound"),
        ("Ready", 1, "Active"),
        ("Pending", 0, "Pending"),
    ]


def test_another_object_of_the_same_name_gets_a_status_of_its_own():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=2))
            await it.settle()
            await it.run_all()
            await it.delete(WORKLOADS, "chat")
            await it.apply(workload(replicas=1))
            await it.settle()
            return await it.get(WORKLOADS, "chat")

    found = run(scenario())

    assert found["status"]["desiredReplicas"] == 1
    assert found["status"]["readyReplicas"] == 0


def test_a_status_that_somebody_spoils_is_written_again():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=1))
            await it.settle()
            key = Key(WORKLOADS, "default", "chat")
            await it.store.patch(key, lambda live: {**live, "status": {"phase": "Odd"}}, subresource="status")
            await it.settle()
            return (await it.get(WORKLOADS, "chat"))["status"]["phase"]

    assert run(scenario()) == "Pending"
