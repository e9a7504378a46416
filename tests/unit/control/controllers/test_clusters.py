"""Clusters: Nodes of their workers, Pods of their bookings."""

import orjson

from bayplan.control.clock import moment_text
from bayplan.control.collections import CLUSTERS, NAMESPACES, NODES, PODS
from bayplan.control.store import Key
from bayplan.library.gpus import gpus
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.marks import BOOKING, DEVICES, RUNTIME, WORKER, WORKLOAD
from bayplan.manifests.reader import Document
from unit.control.controllers.lab import BEGINNING, condition, lab, named, node, run

A100 = {"count": 2, "model": "A100-SXM4-80GB", "memory": "80Gi"}


def cluster(*workers, name="fleet", bookings=(), **more):
    document = {"apiVersion": "bayplan.io/v1alpha1", "kind": "Cluster", "metadata": {"name": name}}
    return {**document, "workers": list(workers), "bookings": list(bookings), **more}


def worker(name="w1", **fields):
    return {"name": name, "gpus": A100, "cpu": 64, "ram": "512Gi", **fields}


async def applied(it, document):
    await it.apply(document)
    await it.settle()
    return {named(each): each for each in await it.list(NODES)}


def test_workers_become_nodes_that_read_as_the_same_workers():
    document = cluster(worker("a", region="eu", usdPerHour=2, labels={"team": "x"}), worker("b", count=2))

    async def scenario():
        async with lab() as it:
            nodes = await applied(it, document)
            return nodes, await it.get(CLUSTERS, "fleet")

    nodes, after = run(scenario())

    assert sorted(nodes) == ["a", "b-0", "b-1"]
    assert nodes["a"]["metadata"]["labels"]["team"] == "x"
    assert nodes["a"]["metadata"]["labels"][RUNTIME] == "none"
    assert nodes["a"]["metadata"]["ownerReferences"][0]["kind"] == "Cluster"
    assert condition(nodes["a"], "Ready")["status"] == "True"
    declared = read_inventory([Document(document, "file")]).cluster.workers
    stored = read_inventory([Document(each, named(each)) for each in nodes.values()]).cluster.workers
    assert [(each.name, each.gpus, each.usd_per_hour, each.topology) for each in declared] == [
        (each.name, each.gpus, each.usd_per_hour, each.topology) for each in stored
    ]
    assert after["status"]["workers"] == 3
    assert condition(after, "Applied")["status"] == "True"


def test_what_is_booked_is_held_before_its_worker_is_there():
    """A scheduler that saw the Node alone would give the cards away."""
    booking = {"workload": "notebook", "worker": "a", "gpus": [{"index": 0}]}

    async def scenario():
        async with lab() as it:
            nodes = await applied(it, cluster(worker("a"), bookings=[booking]))
            (pod,) = await it.list(PODS)
            return pod, nodes["a"]

    pod, made = run(scenario())

    assert int(pod["metadata"]["resourceVersion"]) < int(made["metadata"]["resourceVersion"])


def test_the_runtime_of_declared_workers():
    async def scenario():
        async with lab(runtime="simulated") as it:
            return await applied(it, cluster(worker("a"), worker("b", labels={RUNTIME: "process"})))

    nodes = run(scenario())

    assert {name: each["metadata"]["labels"][RUNTIME] for name, each in nodes.items()} == {
        "a": "simulated",
        "b": "process",
    }


def test_workers_that_are_added_changed_and_removed():
    async def scenario():
        async with lab() as it:
            await applied(it, cluster(worker("a", labels={"old": "1"}), worker("b"), worker("c")))
            before = {named(each): each["metadata"]["uid"] for each in await it.list(NODES)}
            after = await applied(it, cluster(worker("a", ram="256Gi", labels={"new": "1"}), worker("c"), worker("d")))
            return before, after

    before, after = run(scenario())

    assert sorted(after) == ["a", "c", "d"]
    assert after["a"]["metadata"]["uid"] == before["a"]
    assert orjson.loads(after["a"]["metadata"]["annotations"][WORKER])["ram"] == 256 * 1024
    assert after["a"]["status"]["allocatable"]["memory"] == f"{256 * 1024}Mi"
    assert "old" not in after["a"]["metadata"]["labels"]
    assert after["a"]["metadata"]["labels"]["new"] == "1"


def test_what_others_say_of_a_node_stays():
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    own = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}

    def touched(live):
        live["metadata"]["labels"]["mine"] = "1"
        live["spec"] = {**live["spec"], "unschedulable": True, "taints": [*live["spec"].get("taints", ()), taint]}
        return live

    async def scenario():
        async with lab() as it:
            await applied(it, cluster(worker("a", taints=[own])))
            await it.store.patch(Key(NODES, "", "a"), touched)
            quiet = (await applied(it, cluster(worker("a", taints=[own]))))["a"]
            return quiet, (await applied(it, cluster(worker("a", cpu=32))))["a"]

    quiet, after = run(scenario())

    assert quiet["spec"]["taints"] == [own, taint]
    assert after["metadata"]["labels"]["mine"] == "1"
    assert after["spec"] == {"unschedulable": True, "taints": [taint]}


def test_a_declared_status_that_changes_is_applied():
    async def scenario():
        async with lab() as it:
            seen = []
            for status in ("ready", "cordoned", "not-ready", "ready"):
                (found,) = (await applied(it, cluster(worker("a", status=status)))).values()
                seen.append((condition(found, "Ready")["status"], found["spec"].get("unschedulable", False)))
            return seen

    assert run(scenario()) == [("True", False), ("True", True), ("False", False), ("True", False)]


def test_a_node_that_was_made_by_hand_is_left_alone():
    async def scenario():
        async with lab() as it:
            await it.apply(node("a", mine="1"))
            nodes = await applied(it, cluster(worker("a"), worker("b")))
            during = await it.get(CLUSTERS, "fleet"), await it.told("NodeLeftAlone")
            await it.delete(NODES, "a")
            await it.settle()
            return nodes, during, await it.get(NODES, "a"), await it.get(CLUSTERS, "fleet")

    nodes, (during, told), own, after = run(scenario())

    assert "ownerReferences" not in nodes["a"]["metadata"]
    assert nodes["a"]["metadata"]["annotations"] == {"mine": "1"}
    assert condition(during, "Applied")["reason"] == "NodesLeftAlone"
    assert condition(during, "Applied")["message"].endswith("as they are: a")
    assert during["status"]["workers"] == 1
    assert len(told) == 1
    assert own["metadata"]["ownerReferences"][0]["name"] == "fleet"
    assert condition(after, "Applied")["status"] == "True"


def test_of_two_clusters_with_one_worker_the_first_has_it():
    async def scenario():
        async with lab() as it:
            await applied(it, cluster(worker("a"), name="one"))
            await applied(it, cluster(worker("a"), name="two"))
            during = (await it.get(NODES, "a"))["metadata"]["ownerReferences"][0]["name"]
            second = condition(await it.get(CLUSTERS, "two"), "Applied")["reason"]
            await it.delete(CLUSTERS, "one")
            await it.settle()
            return during, second, (await it.get(NODES, "a"))["metadata"]["ownerReferences"][0]["name"]

    assert run(scenario()) == ("one", "NodesLeftAlone", "two")


def test_bookings_become_pods_that_hold_them():
    booking = {"namespace": "team", "workload": "Old Chat", "replica": 1, "worker": "a", "cpu": 8, "priority": 5}
    document = cluster(worker("a"), bookings=[{**booking, "gpus": [{"index": 1, "memory": "40Gi"}]}])

    async def scenario():
        async with lab() as it:
            await applied(it, document)
            pods = await it.list(PODS)
            stored = [*await it.list(NODES), *pods]
            return pods, await it.get(NAMESPACES, "team"), stored, await it.get(CLUSTERS, "fleet")

    (pod,), namespace, stored, after = run(scenario())

    assert named(pod).startswith("old-chat-1-")
    assert pod["metadata"]["namespace"] == "team"
    assert namespace is not None
    assert pod["metadata"]["labels"] == {WORKLOAD: "Old Chat"}
    assert orjson.loads(pod["metadata"]["annotations"][BOOKING])["workload"] == "Old Chat"
    assert orjson.loads(pod["metadata"]["annotations"][DEVICES])[0]["index"] == 1
    assert (pod["spec"]["nodeName"], pod["status"]["phase"], pod["spec"]["priority"]) == ("a", "Running", 5)
    assert pod["status"]["startTime"] == moment_text(BEGINNING)
    assert after["status"]["bookings"] == 1
    assert gpus(stored, holders=True)["holders"] == gpus(document, holders=True)["holders"]


def test_bookings_that_change_or_go():
    def booked(*replicas, memory="40Gi"):
        gpus = [{"index": 0, "memory": memory}]
        return cluster(
            worker("a"), bookings=[{"workload": "x", "replica": n, "worker": "a", "gpus": gpus} for n in replicas]
        )

    async def scenario():
        async with lab() as it:
            seen = []
            for document in (booked(0, 1), booked(1), booked(1, memory="20Gi"), booked(1, memory="20Gi"), booked()):
                await applied(it, document)
                seen.append([named(pod) for pod in await it.list(PODS)])
            return seen

    first, second, third, fourth, last = run(scenario())

    assert len(first) == 2
    assert second == [each for each in first if each.startswith("x-1-")]
    assert third != second
    assert third == fourth
    assert last == []


def test_equal_bookings_are_two():
    booking = {"workload": "x", "replica": 0, "worker": "a", "cpu": 1}

    async def scenario():
        async with lab() as it:
            await applied(it, cluster(worker("a"), bookings=[booking, booking]))
            return await it.list(PODS)

    assert len(run(scenario())) == 2


def test_a_placeholder_that_is_deleted_comes_back_and_goes_with_its_cluster():
    booking = {"workload": "x", "replica": 0, "worker": "a", "cpu": 1}

    async def scenario():
        async with lab() as it:
            await applied(it, cluster(worker("a"), bookings=[booking]))
            (pod,) = await it.list(PODS)
            await it.delete(PODS, named(pod), grace_s=0)
            await it.settle()
            back = [named(each) for each in await it.list(PODS)]
            await it.delete(CLUSTERS, "fleet")
            await it.settle()
            return named(pod), back, await it.list(PODS), await it.list(NODES)

    name, back, pods, nodes = run(scenario())

    assert back == [name]
    assert (pods, nodes) == ([], [])


def test_a_cluster_that_cannot_be_read_says_so_and_changes_nothing():
    async def scenario():
        async with lab() as it:
            await applied(it, cluster(worker("a")))
            nodes = await applied(it, cluster(worker("a", cpu="many"), worker("b")))
            return nodes, await it.get(CLUSTERS, "fleet")

    nodes, after = run(scenario())

    assert sorted(nodes) == ["a"]
    assert condition(after, "Applied")["reason"] == "Invalid"
    assert "workers[0].cpu" in condition(after, "Applied")["message"]


def test_a_node_that_goes_comes_back():
    async def scenario():
        async with lab() as it:
            await applied(it, cluster(worker("a")))
            await it.delete(NODES, "a")
            await it.settle()
            return await it.get(NODES, "a")

    assert run(scenario()) is not None
