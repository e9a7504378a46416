"""Pods of pools, workloads and ReplicaSets: made, replaced, removed and adopted."""

import pytest

from bayplan.control.collections import NAMESPACES, PODS, WORKLOADS
from bayplan.control.controllers.replica_controller import KEPT_ENDED, MOST_IN_ONE_GO
from bayplan.control.store import Propagation
from bayplan.manifests.marks import BACKEND, MODEL, REMOVED, REVISION, ROLE, SHARD, WORKLOAD
from unit.control.controllers.lab import copied, is_leaving, lab, named, of_template, pool, run, workload


def labels(pod):
    return pod["metadata"]["labels"]


def test_a_workload_gets_its_pods():
    async def scenario():
        async with lab() as it:
            backend = {"name": "vllm", "args": ["-x", 1]}
            owner = await it.apply(workload(replicas=3, priority=7, model={"name": "llama"}, backend=backend))
            await it.settle()
            return owner, await it.pods()

    owner, pods = run(scenario())

    assert len(pods) == 3
    pod = pods[0]
    assert named(pod).startswith("chat-")
    assert len(named(pod)) == len("chat-") + 5
    assert pod["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "bayplan.io/v1alpha1",
            "kind": "Workload",
            "name": "chat",
            "uid": owner["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert labels(pod)[WORKLOAD] == "chat"
    assert ROLE not in labels(pod)
    assert pod["metadata"]["annotations"] == {BACKEND: "vllm", MODEL: "llama"}
    assert pod["spec"]["schedulerName"] == "bayplan"
    assert pod["spec"]["priority"] == 7
    assert pod["spec"]["containers"][0]["name"] == "engine"
    assert pod["spec"]["containers"][0]["args"] == ["-x", "1"]
    assert pod["status"]["phase"] == "Pending"


COUNTS = {
    "no number": (workload(), 1),
    "a number": (workload(replicas=4), 4),
    "zero": (workload(replicas=0), 0),
    "a pool without any number": (pool(), 1),
    "a pool with a minimum": (pool(minReplicas=2, maxReplicas=5), 2),
    "a pool with a number beside its minimum": (pool(minReplicas=2, maxReplicas=5, replicas=3), 3),
    "a pool that was scaled to zero": (pool(minReplicas=2, maxReplicas=5, replicas=0), 0),
    "a number as text": (pool(replicas="2"), 2),
    "a ReplicaSet": (of_template("ReplicaSet", replicas=2), 2),
}  # fmt: skip


@pytest.mark.parametrize(("document", "count"), COUNTS.values(), ids=COUNTS)
def test_how_many_pods_are_made(document, count):
    async def scenario():
        async with lab() as it:
            await it.apply(document)
            await it.settle()
            return await it.pods()

    assert len(run(scenario())) == count


def test_a_pool_tells_its_class_and_model():
    async def scenario():
        async with lab() as it:
            await it.apply(
                {
                    "apiVersion": "neuronetes.io/v1alpha1",
                    "kind": "AgentClass",
                    "metadata": {"name": "agent"},
                    "spec": {"modelRef": {"name": "llama-3"}},
                }
            )
            await it.apply(pool(replicas=1, agentClassRef={"name": "agent"}))
            await it.settle()
            return await it.pods()

    (pod,) = run(scenario())

    assert pod["metadata"]["annotations"] == {BACKEND: "vllm", MODEL: "llama-3"}
    assert labels(pod)["neuronetes.io/pool"] == "pool"
    assert labels(pod)["neuronetes.io/agent-class"] == "agent"
    assert labels(pod)["neuronetes.io/model"] == "llama-3"


def test_a_class_that_comes_later_makes_new_pods():
    async def scenario():
        async with lab() as it:
            await it.apply(pool(replicas=1, agentClassRef={"name": "agent"}))
            await it.settle()
            before = await it.pods()
            await it.apply(
                {
                    "apiVersion": "neuronetes.io/v1alpha1",
                    "kind": "AgentClass",
                    "metadata": {"name": "agent"},
                    "spec": {"modelRef": {"name": "llama-3"}},
                }
            )
            await it.settle()
            return before, await it.pods()

    (before,), (after,) = run(scenario())

    assert MODEL not in before["metadata"]["annotations"]
    assert after["metadata"]["annotations"][MODEL] == "llama-3"


def test_members_of_several_roles():
    roles = [
        {"name": "prefill", "replicas": 2, "priority": 9, "backend": {"name": "sglang"}},
        {"name": "decode", "replicas": 1},
    ]

    async def scenario():
        async with lab() as it:
            await it.apply(workload(roles=roles, priority=3, backend={"name": "vllm"}))
            await it.settle()
            first = await it.pods()
            fewer = [{**roles[0], "replicas": 1}]
            await it.apply(workload(roles=fewer, priority=3, backend={"name": "vllm"}))
            await it.settle()
            return first, await it.pods()

    first, after = run(scenario())

    told = sorted(
        (labels(pod)[ROLE], pod["spec"]["priority"], pod["metadata"]["annotations"][BACKEND]) for pod in first
    )
    assert told == [("decode", 3, "vllm"), ("prefill", 9, "sglang"), ("prefill", 9, "sglang")]
    assert {named(pod).rpartition("-")[0] for pod in first} == {"chat-prefill", "chat-decode"}
    assert [labels(pod)[ROLE] for pod in after] == ["prefill"]


def test_scaling_up_and_down():
    async def scenario():
        async with lab() as it:
            counts = []
            for wanted in (2, 5, 1, 0, 3):
                await it.apply(workload(replicas=wanted))
                await it.settle()
                counts.append(len(await it.pods()))
            return counts

    assert run(scenario()) == [2, 5, 1, 0, 3]


def test_an_owner_that_wants_fewer_is_heard_before_all_are_made():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=10 * MOST_IN_ONE_GO))
            while not await it.pods():
                await it.settle(0)
            await it.apply(workload(replicas=MOST_IN_ONE_GO + 1))
            most = 0
            for _ in range(20):
                most = max(most, len(await it.pods()))
                await it.settle(0.01)
            return most, len(await it.pods())

    most, last = run(scenario())

    assert most <= 3 * MOST_IN_ONE_GO
    assert last == MOST_IN_ONE_GO + 1


def test_pods_without_a_place_go_first_then_in_the_order_of_the_planner():
    asked = []

    async def scenario():
        def removals(key, count):
            asked.append((key, count))
            return [(key.namespace, chosen[0], "worker w2 would be empty without it")]

        chosen = []
        async with lab(removals=removals) as it:
            await it.apply(workload(replicas=4))
            await it.settle()
            pods = sorted(await it.pods(), key=named)
            for pod in pods[:3]:
                await it.bind(pod)
            chosen.append(named(pods[1]))
            await it.apply(workload(replicas=2))
            await it.settle()
            return pods, await it.pods(alive=False), await it.told("Removed")

    pods, left, told = run(scenario())

    assert [(str(key), count) for key, count in asked] == [("chat", 1)]
    going = {named(pod): pod for pod in left if is_leaving(pod)}
    assert set(going) == {named(pods[1])}
    assert going[named(pods[1])]["metadata"]["annotations"][REMOVED] == "worker w2 would be empty without it"
    assert going[named(pods[1])]["metadata"]["deletionGracePeriodSeconds"] == 30
    assert named(pods[3]) not in {named(pod) for pod in left}
    assert told == ["worker w2 would be empty without it"]


def test_of_roles_only_the_one_that_shrinks_loses_pods():
    def removals(key, count):
        return [(key.namespace, name, "first in the planner's order") for name in order[:count]]

    order = []

    async def scenario():
        async with lab(removals=removals) as it:
            roles = [{"name": "a", "replicas": 2}, {"name": "b", "replicas": 2}]
            await it.apply(workload(roles=roles))
            await it.settle()
            await it.run_all()
            order.extend(sorted(named(pod) for pod in await it.pods()))
            await it.apply(workload(roles=[roles[0], {"name": "b", "replicas": 1}]))
            await it.settle()
            return await it.pods()

    left = run(scenario())

    assert [labels(pod)[ROLE] for pod in left] == ["a", "a", "b"]
    assert named(left[2]) == order[3]


def test_without_an_order_the_least_ready_and_the_youngest_go():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=1))
            await it.settle(2)
            (old,) = await it.pods()
            await it.apply(workload(replicas=3))
            await it.settle(2)
            await it.run_all()
            young = next(pod for pod in await it.pods() if named(pod) != named(old))
            await it.become(young, ready=False)
            await it.apply(workload(replicas=2))
            await it.settle()
            first = {named(pod) for pod in await it.pods()}
            await it.apply(workload(replicas=1))
            await it.settle()
            return named(old), named(young), first, {named(pod) for pod in await it.pods()}

    old, unready, first, last = run(scenario())

    assert unready not in first
    assert last == {old}


def test_pods_that_vanish_fail_or_are_evicted_are_replaced():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=4))
            await it.settle()
            gone, failed, evicted, kept = sorted(await it.pods(), key=named)
            await it.bind(evicted)
            await it.delete(PODS, named(gone))
            await it.become(failed, phase="Failed", ready=False)
            await it.delete(PODS, named(evicted), grace_s=30)
            await it.settle(5)
            return named(kept), await it.pods()

    kept, pods = run(scenario())

    assert len(pods) == 4
    assert kept in {named(pod) for pod in pods}


def test_failures_in_a_row_are_answered_ever_later():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=1))
            await it.settle()
            waits = []
            for _ in range(5):
                await it.settle(0)
                waited = 0.0
                while not (pods := await it.pods()):
                    await it.settle(0.5)
                    waited += 0.5
                waits.append(waited)
                await it.become(pods[0], phase="Failed", ready=False)
                await it.settle(0.1)
            await it.settle(60)
            return waits, await it.pods(alive=False)

    waits, pods = run(scenario())

    assert waits == [0, 0, 1, 2, 4]
    ended = [pod for pod in pods if pod["status"]["phase"] == "Failed"]
    assert len(ended) == KEPT_ENDED


def test_a_pod_that_leaves_is_replaced_before_it_is_gone():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=1))
            await it.settle()
            (pod,) = await it.pods()
            await it.bind(pod)
            await it.delete(PODS, named(pod), grace_s=30)
            await it.settle()
            return await it.pods(alive=False)

    assert sorted(map(is_leaving, run(scenario()))) == [False, True]


def test_a_changed_replica_replaces_the_old_ones_a_quarter_at_a_time():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=8, backend={"name": "vllm", "args": ["-a"]}))
            await it.settle()
            await it.run_all()
            before = {named(pod) for pod in await it.pods()}
            await it.apply(workload(replicas=8, backend={"name": "vllm", "args": ["-b"]}))
            away = []
            for _ in range(8):
                await it.settle()
                pods = await it.pods()
                away.append(8 - sum(pod["status"]["phase"] == "Running" for pod in pods))
                await it.finish_leaving()
                await it.run_all()
            after = await it.pods()
            return before, away, after

    before, away, after = run(scenario())

    assert max(away) == 2
    assert len(after) == 8
    assert not before & {named(pod) for pod in after}
    assert {pod["spec"]["containers"][0]["args"][0] for pod in after} == {"-b"}


def test_a_gang_is_replaced_all_at_once():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=4, gang={}, gpus={"count": 1}))
            await it.settle()
            await it.run_all()
            await it.apply(workload(replicas=4, gang={}, gpus={"count": 2}))
            await it.settle()
            return await it.pods(alive=False)

    pods = run(scenario())

    assert sum(map(is_leaving, pods)) == 4
    assert len(pods) == 8


PLACEMENT_ONLY = {
    "the number": {"replicas": 2},
    "the priority": {"priority": 5},
    "where it may run": {"regions": ["eu"], "selector": {"matchLabels": {"a": "b"}}},
    "its scaling": {"scaling": {"min": 1, "max": 3}},
}  # fmt: skip


@pytest.mark.parametrize("change", PLACEMENT_ONLY.values(), ids=PLACEMENT_ONLY)
def test_what_does_not_make_another_replica_replaces_none(change):
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=2, gpus={"count": 1}))
            await it.settle()
            before = {named(pod) for pod in await it.pods()}
            await it.apply(workload(**{"replicas": 2, "gpus": {"count": 1}, **change}))
            await it.settle()
            return before, {named(pod) for pod in await it.pods()}

    before, after = run(scenario())

    assert before == after


def test_deletion_takes_the_pods_along_and_orphans_are_adopted_again():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=2))
            await it.settle()
            first = {named(pod) for pod in await it.pods()}
            await it.delete(WORKLOADS, "chat", propagation=Propagation.ORPHAN)
            await it.settle()
            free = await it.pods()
            await it.apply(workload(replicas=2))
            await it.settle()
            second = await it.pods()
            owner = await it.get(WORKLOADS, "chat")
            await it.delete(WORKLOADS, "chat")
            await it.settle()
            return first, free, owner, second, await it.pods()

    first, free, owner, second, last = run(scenario())

    assert {named(pod) for pod in free} == first
    assert not any(pod["metadata"].get("ownerReferences") for pod in free)
    assert {named(pod) for pod in second} == first
    assert {pod["metadata"]["ownerReferences"][0]["uid"] for pod in second} == {owner["metadata"]["uid"]}
    assert last == []


def test_a_replica_set_adopts_by_its_selector_and_removes_what_is_too_much():
    stray = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "c", "image": "app:1"}]}}

    async def scenario():
        async with lab() as it:
            for name in "abc":
                await it.apply({**copied(stray), "metadata": {"name": name, "labels": {"app": "web", "x": name}}})
            await it.apply({**copied(stray), "metadata": {"name": "other", "labels": {"app": "db"}}})
            await it.apply(of_template("ReplicaSet", replicas=2))
            await it.settle()
            return await it.pods()

    pods = run(scenario())

    own = [pod for pod in pods if pod["metadata"].get("ownerReferences")]
    assert len(own) == 2
    assert {named(pod) for pod in own} < set("abc")
    assert "other" in {named(pod) for pod in pods}


def test_pods_of_a_template_are_as_the_server_would_store_them():
    async def scenario():
        async with lab() as it:
            value = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}}
            await it.apply({**value, "value": 100, "preemptionPolicy": "Never"})
            document = of_template("ReplicaSet", replicas=1)
            document["spec"]["template"]["spec"]["priorityClassName"] = "high"
            await it.apply(document)
            await it.settle()
            return await it.pods()

    (pod,) = run(scenario())

    assert pod["spec"]["schedulerName"] == "bayplan"
    assert pod["spec"]["restartPolicy"] == "Always"
    assert pod["spec"]["containers"][0]["imagePullPolicy"] == "IfNotPresent"
    assert (pod["spec"]["priority"], pod["spec"]["preemptionPolicy"]) == (100, "Never")
    assert pod["status"]["phase"] == "Pending"


def test_the_names_of_alnairs_schedulers_stay():
    async def scenario():
        async with lab() as it:
            document = of_template("ReplicaSet", replicas=1)
            document["spec"]["template"]["spec"]["schedulerName"] = "alnair-cost-saving"
            await it.apply(document)
            await it.settle()
            return await it.pods()

    assert run(scenario())[0]["spec"]["schedulerName"] == "alnair-cost-saving"


def test_further_parts_of_a_replica_are_no_replicas():
    async def scenario():
        async with lab() as it:
            owner = await it.apply(workload(replicas=1))
            await it.settle()
            (pod,) = await it.pods()
            shard = {**copied(pod), "metadata": {**pod["metadata"], "name": "shard", "labels": {SHARD: named(pod)}}}
            for field in ("uid", "resourceVersion"):
                del shard["metadata"][field]
            await it.store.create(PODS, shard)
            await it.settle()
            found = await it.get(WORKLOADS, "chat")
            return owner, await it.pods(), found["status"]["replicas"]

    _, pods, replicas = run(scenario())

    assert len(pods) == 2
    assert replicas == 1


def test_a_restart_makes_nothing_twice():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=3))
            await it.settle()
            before = {named(pod) for pod in await it.pods()}
            async with lab(store=it.store) as second:
                await second.settle(10)
            return before, {named(pod) for pod in await it.pods()}

    before, after = run(scenario())

    assert before == after


def test_long_names_stay_within_the_limits_of_labels():
    name = "x" * 100

    async def scenario():
        async with lab() as it:
            await it.apply(workload(name, replicas=1))
            await it.settle()
            return await it.pods(), await it.get(WORKLOADS, name)

    (pod,), owner = run(scenario())

    assert len(labels(pod)[WORKLOAD]) <= 63
    assert len(named(pod)) <= 63
    assert owner["status"]["selector"] == f"{WORKLOAD}={labels(pod)[WORKLOAD]}"
    assert len(labels(pod)[REVISION]) == 10


def test_what_cannot_be_read_makes_no_pods_and_says_why():
    async def scenario():
        async with lab() as it:
            await it.apply(workload(replicas=2, gpus={"count": "many"}))
            await it.settle()
            return await it.pods(), await it.get(WORKLOADS, "chat")

    pods, owner = run(scenario())

    assert pods == []
    assert owner["status"]["phase"] == "Failed"
    assert owner["status"]["conditions"][0]["reason"] == "InvalidSpec"
    assert "spec.gpus.count" in owner["status"]["conditions"][0]["message"]


def test_a_namespace_that_ends_gets_no_more_pods():
    async def scenario():
        async with lab() as it:
            await it.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
            document = workload(replicas=2)
            document["metadata"]["namespace"] = "team"
            await it.apply(document)
            await it.settle()
            await it.delete(NAMESPACES, "team")
            await it.settle(5)
            return await it.list(PODS, "team"), await it.get(NAMESPACES, "team")

    assert run(scenario()) == ([], None)
