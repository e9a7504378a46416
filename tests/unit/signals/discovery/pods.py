"""Pods and objects of the inference extension, as stores hold them."""

import asyncio
from contextlib import asynccontextmanager

from bayplan.control.cache import Cache
from bayplan.control.collections import NAMESPACES
from bayplan.control.store import Deletion, Key
from bayplan.signals.address_guard import AddressGuard
from bayplan.signals.directory import Directory
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.signals.worlds import HeardRouter

READY = [{"type": "Ready", "status": "True"}]


def pod(name="a", *, ip="10.0.0.1", labels=None, annotations=None, conditions=READY, **status):
    metadata = {"name": name, "namespace": "default", "labels": labels or {}, "annotations": annotations or {}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [{"name": "engine", "image": "vllm"}]},
        "status": {"phase": "Running", "podIP": ip, "conditions": conditions, **status},
    }


def pool(name="chat", *, ports=(8000,), api="inference.networking.k8s.io/v1", **spec):
    usual = {"selector": {"matchLabels": {"app": "chat"}}, "targetPorts": [{"number": each} for each in ports]}
    return {
        "apiVersion": api,
        "kind": "InferencePool",
        "metadata": {"name": name, "namespace": "default"},
        "spec": usual | spec,
    }


def objective(name="fast", *, priority=1, pool="chat"):
    return {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha2",
        "kind": "InferenceObjective",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"priority": priority, "poolRef": {"name": pool}},
    }


def rewrite(name="canary", *, pool="chat"):
    rules = [{"matches": [{"model": {"value": "chat"}}], "targets": [{"modelRewrite": "chat-v2"}]}]
    return {
        "apiVersion": "inference.networking.x-k8s.io/v1alpha2",
        "kind": "InferenceModelRewrite",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"rules": rules, "poolRef": {"name": pool}},
    }


class World:
    """A store, and what a router hears of it."""

    def __init__(self, store, router, directory):
        self.store, self.router, self.directory = store, router, directory

    @property
    def endpoints(self):
        return {name: each.address for name, each in self.router.endpoints.items()}

    async def create(self, collection, document):
        await self.store.create(collection, document)
        await asyncio.sleep(0.5)

    async def change(self, collection, name, **parts):
        await self.store.patch(Key(collection, "default", name), lambda old: {**old, **parts})
        await asyncio.sleep(0.5)

    async def report(self, collection, name, status):
        """Replace the status alone, as a worker does."""
        key = Key(collection, "default", name)
        await self.store.patch(key, lambda old: {**old, "status": status}, subresource="status")
        await asyncio.sleep(0.5)

    async def delete(self, collection, name):
        await self.store.delete(Key(collection, "default", name), Deletion(grace_s=0))
        await asyncio.sleep(0.5)


@asynccontextmanager
async def discovering(discovery, *stored, namespaces=(), **options):
    """A discovery over a store that holds some (collection, document) pairs already."""
    async with EmbeddedStore(MemoryShelf(1000)) as store:
        for each in namespaces:
            await store.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each}})
        for collection, document in stored:
            await store.create(collection, document)
        cache, router = Cache(store, discovery.collections), HeardRouter()
        directory = Directory(router, AddressGuard())
        discovery(cache, directory, **options)
        await cache.start()
        try:
            yield World(store, router, directory)
        finally:
            await cache.stop()
        assert cache.failed is None
