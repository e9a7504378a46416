"""All control loops over a store in memory, with a simulated fleet, in virtual time."""

import asyncio
import random
import uuid
from contextlib import asynccontextmanager

from bayplan.control.collections import NODES, PODS
from bayplan.control.event_recorder import EVENTS
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.store import Deletion, Key
from bayplan.control.system import ControlSystem
from bayplan.manifests.inventory.described_node import node_document
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.reader import Document
from bayplan.sim.fleet.fleet import SimulatedFleet
from bayplan.sim.fleet.scenario import Scenario
from bayplan.sim.virtual_time import VirtualLoop, run_virtually
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf

A100 = {"model": "A100-SXM4-80GB", "memory": "80Gi"}
LETTERS = "bcdfghjklmnpqrstvwxz2456789"


def worker(name, cards=8, **more):
    return {"name": name, "cpu": 64, "ram": "512Gi", "gpus": {"count": cards, **A100}, **more}


def nodes(*workers, runtime="simulated"):
    cluster = read_inventory([Document({"workers": list(workers)}, "test")]).cluster
    return [node_document(each, runtime) for each in cluster.workers]


def workload(name, replicas=1, *, gpus=1, **spec):
    return {
        "apiVersion": "bayplan.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"replicas": replicas, "gpus": {"count": gpus}, **spec},
    }


def pod(name, gpus=1, *, annotations=None, **spec):
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    container = {"name": "main", "image": "image", "resources": {"limits": limits}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "annotations": dict(annotations or {})},
        "spec": {"schedulerName": "bayplan", "containers": [container], **spec},
        "status": {"phase": "Pending"},
    }


class Simulation:
    """What tests do and see."""

    def __init__(self, store, control, fleet):
        self.store, self.control, self.fleet = store, control, fleet

    async def create(self, *documents):
        for each in documents:
            group = each["apiVersion"].rpartition("/")[0]
            await self.store.create(REGISTRY.of_kind(group, each["kind"]).collection, each)

    async def after(self, seconds):
        """Let that much time pass."""
        await asyncio.sleep(seconds)
        assert self.control.failed is None

    async def pods(self):
        found = [each.document() for each in (await self.store.list(PODS)).items]
        return {each["metadata"]["name"]: each for each in found}

    async def pod(self, name):
        return (await self.store.get(Key(PODS, "default", name))).document()

    async def phases(self):
        return {name: each["status"]["phase"] for name, each in (await self.pods()).items()}

    async def ready(self):
        """The names of Pods that are ready, with their workers."""
        return {name: each["spec"]["nodeName"] for name, each in (await self.pods()).items() if is_ready(each)}

    async def node(self, name):
        return (await self.store.get(Key(NODES, "", name))).document()

    async def annotate(self, node, annotations):
        def change(live):
            found = {**live["metadata"].get("annotations", {}), **annotations}
            live["metadata"]["annotations"] = {key: value for key, value in found.items() if value is not None}
            return live

        await self.store.patch(Key(NODES, "", node), change)

    async def told(self, name):
        """The reasons of events about an object."""
        found = [each.document() for each in (await self.store.list(EVENTS)).items]
        return {each["reason"] for each in found if each["involvedObject"]["name"] == name}

    async def delete(self, name, grace_s=30):
        await self.store.delete(Key(PODS, "default", name), Deletion(grace_s=grace_s))


def is_ready(document):
    return any(
        each["type"] == "Ready" and each["status"] == "True" for each in document["status"].get("conditions", ())
    )


@asynccontextmanager
async def simulated(*workers, shelf=None, seed=1, settings=None, **scenario):
    """The system with these workers; uids and names repeat with the seed."""
    virtual = asyncio.get_running_loop()
    chance = random.Random(seed)  # noqa: S311 (names, not secrets)
    store = EmbeddedStore(
        shelf or MemoryShelf(),
        clock=virtual.clock,
        uids=lambda: str(uuid.UUID(int=chance.getrandbits(128))),
        suffixes=lambda: "".join(chance.choices(LETTERS, k=5)),
    )
    async with store:
        for each in nodes(*workers):
            await store.create(NODES, each)
        control = ControlSystem(store, clock=virtual.clock, nodes=settings)
        made = SimulatedFleet(
            store, control.cache, control.events, virtual.clock, heartbeats=control.heartbeats,
            scenario=Scenario(seed=seed, **scenario),
        )  # fmt: skip
        await control.start()
        made.start()
        try:
            yield Simulation(store, control, made)
            assert control.failed is None
        finally:
            await made.stop()
            await control.stop()


def virtually(scenario):
    """A test that is a coroutine, run in virtual time."""

    def test():
        run_virtually(scenario(), VirtualLoop())

    test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
    return test
