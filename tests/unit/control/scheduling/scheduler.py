"""A scheduling loop over a store in memory and in virtual time, with what tests do to it."""

import asyncio
from contextlib import asynccontextmanager

from bayplan.control.cache import Cache
from bayplan.control.collections import DEPLOYMENTS, NODES, POD_GROUPS, PODS, REPLICA_SETS, WORKLOADS
from bayplan.control.event_recorder import EVENTS, EventRecorder
from bayplan.control.observing import LoopObserver
from bayplan.control.scheduling.conditions import PodConditions
from bayplan.control.scheduling.ledger_drift import ledger_drift
from bayplan.control.scheduling.loop import SchedulingLoop
from bayplan.control.scheduling.points import Points
from bayplan.control.scheduling.records import Records
from bayplan.control.store import Deletion, Key
from bayplan.library.live_state import live_state
from bayplan.manifests.inventory.described_node import node_document
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.marks import WORKLOAD
from bayplan.manifests.reader import Document
from bayplan.sim.virtual_time import VirtualLoop, run_virtually
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf

PLURALS = {
    "Deployment": DEPLOYMENTS,
    "Node": NODES,
    "Pod": PODS,
    "PodGroup": POD_GROUPS,
    "ReplicaSet": REPLICA_SETS,
    "Workload": WORKLOADS,
}
A100 = {"model": "A100-SXM4-80GB", "memory": "80Gi"}


def nodes(*workers):
    """Node documents of workers as a Cluster file describes them."""
    cluster = read_inventory([Document({"workers": list(workers)}, "test")]).cluster
    return [node_document(each, "none") for each in cluster.workers]


def worker(name, cards=8, **more):
    return {"name": name, "cpu": 64, "ram": "512Gi", "gpus": {"count": cards, **A100}, **more}


def workload(name, replicas=1, *, gpus=1, **spec):
    return {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"replicas": replicas, "gpus": {"count": gpus}, **spec},
    }


def pod(name, gpus=1, *, owner=None, labels=None, **spec):
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    metadata = {"name": name, "namespace": "default", "labels": dict(labels or {})}
    if owner is not None:
        metadata["ownerReferences"] = [
            {
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": owner["metadata"]["name"],
                "uid": owner["metadata"]["uid"],
                "controller": True,
            }
        ]
        if owner["kind"] == "Workload":
            metadata["labels"][WORKLOAD] = owner["metadata"]["name"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {
            "schedulerName": "bayplan",
            "containers": [{"name": "c", "image": "i", "resources": {"limits": limits}}],
            **spec,
        },
        "status": {"phase": "Pending"},
    }


def replica_set(name, deployment):
    """A ReplicaSet of a Deployment that is stored."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x")["spec"]}
    reference = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "name": deployment["metadata"]["name"],
        "uid": deployment["metadata"]["uid"],
        "controller": True,
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name, "namespace": "default", "ownerReferences": [reference]},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }


def deployment(name):
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x")["spec"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template},
    }


class Running:
    """A loop that runs; `settle` waits until it has nothing to do."""

    def __init__(self, store, cache, loop, conditions, events, records):
        self.store, self.cache, self.loop = store, cache, loop
        self.conditions, self.events, self.records = conditions, events, records

    async def settle(self):
        for _ in range(50):
            for _ in range(20):
                await asyncio.sleep(0)
            if self.loop.failed:
                raise self.loop.failed
            if self.loop.is_idle:
                break
            await asyncio.sleep(0.01)
        await self.conditions.settled()
        await self.events.settled()
        for _ in range(5):
            await asyncio.sleep(0)

    async def create(self, *documents):
        made = [(await self.store.create(PLURALS[each["kind"]], each)).document() for each in documents]
        await self.settle()
        return made

    async def workload(self, document):
        """A Workload and its Pods, as the controller makes them."""
        (owner,) = await self.create(document)
        name, replicas = owner["metadata"]["name"], owner["spec"]["replicas"]
        await self.create(*(pod(f"{name}-{number}", 0, owner=owner) for number in range(replicas)))
        return owner

    async def pod(self, name):
        return (await self.store.get(Key(PODS, "default", name))).document()

    async def where(self):
        """The worker of each Pod, None for pending ones."""
        found = [each.document() for each in (await self.store.list(PODS)).items]
        return {each["metadata"]["name"]: each["spec"].get("nodeName") for each in found}

    async def delete(self, *names, grace_s=0):
        for name in names:
            await self.store.delete(Key(PODS, "default", name), Deletion(grace_s=grace_s))
        await self.settle()

    async def patch(self, kind, name, change, subresource=""):
        namespace = "" if kind == "Node" else "default"
        await self.store.patch(Key(PLURALS[kind], namespace, name), change, subresource=subresource)
        await self.settle()

    def held(self):
        """What the ledger counts: workload, replica and worker of each booking."""
        bookings = self.loop.live.state.ledger.bookings
        return sorted((each.workload, each.replica, each.worker) for each in bookings)

    async def whole(self):
        """The ledger holds what bound Pods hold, and nothing else."""
        assert await ledger_drift(self.loop.live) == []
        live = self.loop.live
        ownerless = [each for each in live.state.ledger.bookings if live.pods.pod_of(each) is None]
        assert ownerless == []
        assert not live.pods.assumed
        assert not live.pods.leaving
        return self.held()

    async def told(self, name):
        """The reasons of events about an object."""
        found = [each.document() for each in (await self.store.list(EVENTS)).items]
        return {each["reason"] for each in found if each["involvedObject"]["name"] == name}


@asynccontextmanager
async def running(*workers, config=None, points=(), shelf=None, epoch=1, observer=None, archive=None, wrap=None):
    """`wrap` puts a store with faults between the loops and the store that the test itself uses."""
    virtual = asyncio.get_running_loop()
    store = EmbeddedStore(shelf or MemoryShelf(), clock=virtual.clock)
    async with store:
        for each in nodes(*workers):
            await store.create(NODES, each)
        seen = store if wrap is None else wrap(store)
        cache = Cache(seen, SchedulingLoop.collections)
        events, conditions = EventRecorder(store, clock=virtual.clock), PodConditions(seen, cache, virtual.clock)
        records = Records(archive)
        records.begin_term(epoch)
        loop = SchedulingLoop(
            seen, cache, events, virtual.clock, make_state=live_state(config), records=records,
            conditions=conditions, observer=observer or LoopObserver(), points=Points(tuple(points)),
        )  # fmt: skip
        await cache.start()
        events.start()
        conditions.start()
        loop.start(epoch)
        found = Running(store, cache, loop, conditions, events, records)
        await found.settle()
        try:
            yield found
        finally:
            for each in (loop, conditions, events, cache):
                await each.stop()


def virtually(scenario):
    """A test that is a coroutine, run in virtual time."""

    def test():
        run_virtually(scenario(), VirtualLoop())

    test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
    return test
