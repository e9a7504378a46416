"""A node loop over a store in memory and in virtual time; workers of a test beat in this process."""

import asyncio

from bayplan.control.cache import Cache
from bayplan.control.collections import NODES, PODS
from bayplan.control.event_recorder import EVENTS, EventRecorder
from bayplan.control.nodes.heartbeats import Beat, Heartbeats
from bayplan.control.nodes.lifecycle import NodeLifecycle
from bayplan.control.nodes.settings import NodeSettings
from bayplan.control.store import Binding, Deletion, Key
from bayplan.control.store_errors import NotFoundError
from bayplan.manifests.marks import RUNTIME
from bayplan.sim.virtual_time import VirtualLoop, run_virtually
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf

BEAT_S = 10.0


class Fleet:
    """Nodes and their workers; `silence` makes a worker stop beating."""

    def __init__(self, loop, settings=None):
        self.clock = loop.clock
        self.store = EmbeddedStore(MemoryShelf(), clock=self.clock)
        self.settings = settings or NodeSettings()
        self.beating = {}
        self.writes = 0

    async def boot(self):
        """Start the loop; again after `halt`, as a control plane that was restarted."""
        self.heartbeats = Heartbeats(self.clock)
        self.cache = Cache(self.store, NodeLifecycle.collections)
        self.events = EventRecorder(self.store, clock=self.clock)
        self.loop = NodeLifecycle(
            self.store, self.cache, self.events, self.clock, heartbeats=self.heartbeats, settings=self.settings
        )
        await self.cache.start()
        self.events.start()
        self.loop.start()

    async def halt(self):
        await self.loop.stop()
        await self.events.stop()
        await self.cache.stop()

    async def node(self, name, runtime="simulated", ready=True):
        conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
        await self.store.create(
            NODES,
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "labels": {RUNTIME: runtime}},
                "spec": {},
                "status": {"conditions": conditions},
            },
        )
        if runtime != "none":
            self.beat(name)

    def beat(self, name):
        self.beating[name] = asyncio.create_task(self._beats(name))

    async def _beats(self, name):
        while True:
            self.heartbeats.beat(name, Beat(id=name))
            await asyncio.sleep(BEAT_S)

    def silence(self, *names):
        for name in names:
            self.beating.pop(name).cancel()

    async def pod(self, name, node, ready=True, **spec):
        await self.store.create(
            PODS,
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "namespace": "default"},
                "spec": {"containers": [{"name": "c", "image": "i"}], **spec},
                "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": str(ready)}]},
            },
        )
        await self.store.bind([Binding("default", name, node)])

    async def delete(self, name, grace_s=30):
        await self.store.delete(Key(PODS, "default", name), Deletion(grace_s=grace_s))

    async def get(self, collection, name):
        namespace = "default" if collection is PODS else ""
        try:
            return (await self.store.get(Key(collection, namespace, name))).document()
        except NotFoundError:
            return None

    async def condition(self, name, kind="Ready", collection=NODES):
        document = await self.get(collection, name)
        found = [each for each in document["status"]["conditions"] if each["type"] == kind]
        return found[0] if found else None

    async def ready(self, name):
        return (await self.condition(name))["status"]

    async def taints(self, name):
        return [each["key"] for each in (await self.get(NODES, name))["spec"].get("taints", ())]

    async def pods(self):
        """Names of the Pods that are left; those that are being deleted have a dash."""
        found = [each.document()["metadata"] for each in (await self.store.list(PODS)).items]
        return sorted(each["name"] + ("-" if "deletionTimestamp" in each else "") for each in found)

    async def told(self, reason):
        await self.events.settled()
        found = [each.document() for each in (await self.store.list(EVENTS)).items]
        return [each["involvedObject"]["name"] for each in found if each["reason"] == reason]

    async def wait(self, seconds):
        await asyncio.sleep(seconds)
        await self.loop.settled()


def run(talk, settings=None):
    """Run `async def talk(fleet)` in virtual time."""

    async def started():
        fleet = Fleet(asyncio.get_running_loop(), settings)
        async with fleet.store:
            await fleet.boot()
            try:
                await talk(fleet)
            finally:
                fleet.silence(*fleet.beating)
                await fleet.halt()

    run_virtually(started(), VirtualLoop())
