"""A store in memory, a cache and the controllers on an event loop whose time jumps: waiting costs nothing."""

import asyncio
import logging
import selectors
from contextlib import asynccontextmanager

from bayplan.control.cache import Cache
from bayplan.control.clock import moment_text
from bayplan.control.collections import NODES, PODS
from bayplan.control.controllers.roster import COLLECTIONS, controllers
from bayplan.control.controllers.world import no_order
from bayplan.control.event_recorder import EVENTS, EventRecorder
from bayplan.control.resources.conversion import to_storage
from bayplan.control.resources.defaults import add_defaults
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.store import Binding, Deletion, Key
from bayplan.control.store_errors import NotFoundError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf

BEGINNING = 1_800_000_000.0  # the clock of every test begins here


class _Impatient(selectors.DefaultSelector):
    """Never waits: it tells the loop how long it would have."""

    loop = None

    def select(self, timeout=None):
        ready = super().select(0)
        if not ready and timeout is None:
            raise AssertionError("everything waits for ever")
        if not ready and timeout > 0:
            self.loop.skip(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        selector = _Impatient()
        selector.loop = self
        self._skipped = 0.0
        super().__init__(selector)

    def skip(self, seconds):
        self._skipped += seconds

    def time(self):
        return self._skipped


class _Complaints(logging.Handler):
    """What the loops warn of: errors that are tried again would otherwise stay unseen."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.heard = []

    def emit(self, record):
        self.heard.append(record.getMessage() + (f": {record.exc_info[1]!r}" if record.exc_info else ""))


def run(scenario, complaints=()):
    """Run a coroutine on a loop of its own; loops may warn of nothing but `complaints`."""
    handler, log = _Complaints(), logging.getLogger("bayplan.control")
    log.addHandler(handler)
    try:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            found = runner.run(scenario)
    finally:
        log.removeHandler(handler)
    assert [each for each in handler.heard if not any(part in each for part in complaints)] == []
    return found


def clock():
    return BEGINNING + asyncio.get_running_loop().time()


class Lab:
    def __init__(self, store, cache, events, loops):
        self.store, self.cache, self.events, self.loops = store, cache, events, loops

    def now(self):
        return moment_text(clock())

    async def settle(self, seconds=1.0):
        """Let everything come to rest."""
        await asyncio.sleep(seconds)

    async def apply(self, document):
        """Create an object, or replace its spec and labels, as the API would store it."""
        resource = REGISTRY.of_document(document["apiVersion"], document["kind"])
        stored = add_defaults(resource, to_storage(resource, copied(document)))
        metadata = stored["metadata"]
        if resource.namespaced:
            metadata.setdefault("namespace", "default")
        key = Key(resource.collection, metadata.get("namespace", ""), metadata["name"])

        def change(live):
            return {**stored, "metadata": {**live["metadata"], **metadata}}

        try:
            return (await self.store.patch(key, change)).document()
        except NotFoundError:
            return (await self.store.create(resource.collection, stored)).document()

    async def get(self, collection, name, namespace="default"):
        try:
            where = namespace if collection.namespaced else ""
            return (await self.store.get(Key(collection, where, name))).document()
        except NotFoundError:
            return None

    async def list(self, collection, namespace=""):
        return [each.document() for each in (await self.store.list(collection, namespace)).items]

    async def pods(self, alive=True):
        return [each for each in await self.list(PODS) if not alive or is_alive(each)]

    async def delete(self, collection, name, namespace="default", **how):
        where = namespace if collection.namespaced else ""
        await self.store.delete(Key(collection, where, name), Deletion(**how))

    async def bind(self, pod, worker="w1"):
        metadata = pod["metadata"]
        await self.store.bind([Binding(metadata["namespace"], metadata["name"], worker, metadata["uid"])])

    async def write_status(self, pod, **fields):
        key = Key(PODS, pod["metadata"]["namespace"], pod["metadata"]["name"])

        def change(live):
            return {**live, "status": {**live.get("status", {}), **fields}}

        await self.store.patch(key, change, subresource="status")

    async def become(self, pod, phase="Running", ready=True, since="2027-01-15T08:00:00Z", **fields):
        """A runtime starts the Pod, or it ends."""
        conditions = [each for each in pod.get("status", {}).get("conditions", ()) if each["type"] != "Ready"]
        told = {"type": "Ready", "status": str(ready), "lastTransitionTime": since}
        await self.write_status(pod, phase=phase, conditions=[*conditions, told], **fields)

    async def run_all(self, worker="w1"):
        """Every live Pod gets a place and becomes ready."""
        for pod in await self.pods():
            if not pod["spec"].get("nodeName"):
                await self.bind(pod, worker)
            if pod.get("status", {}).get("phase") != "Running":
                await self.become(pod)
        await self.settle()

    async def refuse(self, pod, reason, message):
        """The scheduler says why a Pod waits."""
        told = {"type": "PodScheduled", "status": "False", "reason": reason, "message": message}
        await self.write_status(pod, conditions=[told])

    async def finish_leaving(self):
        """A runtime stops Pods that are being deleted."""
        for pod in await self.list(PODS):
            if "deletionTimestamp" in pod["metadata"]:
                await self.delete(PODS, pod["metadata"]["name"], pod["metadata"]["namespace"], grace_s=0)
        await self.settle()

    async def told(self, reason):
        """Messages of events with that reason."""
        await self.events.settled()
        return [each["message"] for each in await self.list(EVENTS) if each["reason"] == reason]


@asynccontextmanager
async def lab(*, removals=no_order, store=None, **options):
    """The controllers at work on a store."""
    if store is None:
        async with (
            EmbeddedStore(MemoryShelf(), clock=clock) as made,
            lab(removals=removals, store=made, **options) as it,
        ):
            yield it
        return
    cache = Cache(store, COLLECTIONS)
    events = EventRecorder(store, clock=clock)
    loops = controllers(store, cache, events, clock, removals, **options)
    await cache.start()
    events.start()
    for each in loops:
        each.start()
    try:
        yield Lab(store, cache, events, loops)
        assert cache.failed is None
    finally:
        for each in loops:
            await each.stop()
        await events.stop()
        await cache.stop()


def is_alive(pod):
    return pod.get("status", {}).get("phase") not in ("Succeeded", "Failed") and not is_leaving(pod)


def is_leaving(pod):
    return "deletionTimestamp" in pod["metadata"]


def copied(value):
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    return [copied(each) for each in value] if isinstance(value, list) else value


def named(document):
    return document["metadata"]["name"]


def condition(document, kind):
    found = (each for each in document.get("status", {}).get("conditions", ()) if each["type"] == kind)
    return next(found, None)


def workload(name="chat", **spec):
    return {"apiVersion": "bayplan.io/v1alpha1", "kind": "Workload", "metadata": {"name": name}, "spec": spec}


def pool(name="pool", **spec):
    return {"apiVersion": "neuronetes.io/v1alpha1", "kind": "AgentPool", "metadata": {"name": name}, "spec": spec}


def template(image="app:1", labels=None):
    return {"metadata": {"labels": labels or {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": image}]}}


def of_template(kind, name="web", image="app:1", api="apps/v1", labels=None, **spec):
    selector = {"selector": {"matchLabels": labels or {"app": "web"}}} if api == "apps/v1" else {}
    spec = {**selector, "template": template(image, labels), **spec}
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": spec}


def node(name="w1", **annotations):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": annotations}}


__all__ = ["NODES", "PODS"]
