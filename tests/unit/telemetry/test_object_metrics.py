"""Nodes and Pods, counted change by change."""

import asyncio

from bayplan.control.cache import Cache
from bayplan.control.collections import NODES, PODS
from bayplan.control.store import Key
from bayplan.manifests.marks import REMOVED
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from bayplan.telemetry.metrics.exposition import Style
from bayplan.telemetry.metrics.registry import Metrics
from bayplan.telemetry.object_metrics import ObjectMetrics
from metrics_text import samples


def node(name, ready="True", **spec):
    status = {"conditions": [{"type": "Ready", "status": ready}]} if ready else {}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec, "status": status}


def pod(name, phase="Running", restarts=0):
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": {},
        "status": {"phase": phase, "containerStatuses": [{"name": "c", "restartCount": restarts}]},
    }  # fmt: skip


def told(scenario):
    """The series that are not 0 after a scenario."""

    async def whole():
        metrics = Metrics()
        async with EmbeddedStore(MemoryShelf()) as store:
            cache = Cache(store, ObjectMetrics.collections)
            ObjectMetrics(metrics, cache)
            await store.create(PODS, pod("before", restarts=5))
            await cache.start()
            await scenario(store)
            while cache.get(Key(NODES, "", "last")) is None:  # the last change of every scenario
                await asyncio.sleep(0)
            await asyncio.sleep(0.01)
            await cache.stop()
        found = samples(metrics.text(Style.PROMETHEUS))
        names = ("bayplan_nodes", "bayplan_pods", "bayplan_replica_restarts_total", "bayplan_pods_removed_total")
        return {
            "/".join((name, *(value for _, value in labels))): number
            for (name, labels), number in found.items()
            if number and name in names
        }

    return asyncio.run(asyncio.wait_for(whole(), 30))


def test_states_are_counted():
    async def scenario(store):
        await store.create(NODES, node("a"))
        await store.create(NODES, node("b", "Unknown"))
        await store.create(NODES, node("c", unschedulable=True))
        await store.create(PODS, pod("p"))
        await store.create(PODS, pod("q", "Failed"))
        await store.create(PODS, pod("r"))
        await store.delete(Key(PODS, "default", "r"))
        await store.create(NODES, node("last", ready=""))

    assert told(scenario) == {
        "bayplan_nodes/ready": 1,
        "bayplan_nodes/not-ready": 2,
        "bayplan_nodes/cordoned": 1,
        "bayplan_pods/Running": 2,
        "bayplan_pods/Failed": 1,
    }


def test_pods_that_their_owner_no_longer_wants_are_counted_once():
    async def scenario(store):
        for reason in ("surplus", "still surplus"):
            wanted = pod("before", restarts=5)
            wanted["metadata"]["annotations"] = {REMOVED: reason}
            await store.update(Key(PODS, "default", "before"), wanted)
        await store.create(NODES, node("last"))

    assert told(scenario)["bayplan_pods_removed_total"] == 1


def test_restarts_are_those_seen_since_the_start():
    async def scenario(store):
        for restarts in (6, 8):
            await store.update(Key(PODS, "default", "before"), pod("before", restarts=restarts), subresource="status")
        await store.create(NODES, node("last"))

    found = told(scenario)
    assert found["bayplan_replica_restarts_total"] == 3
