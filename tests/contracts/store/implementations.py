"""The implementations that the contract suite runs on, and what its tests say about objects."""

import asyncio
import itertools
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bayplan.control.store import Collection, Key
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf

POOLS = Collection("neuronetes.io", "agentpools")
PODS = Collection("", "pods")
NODES = Collection("", "nodes", namespaced=False)
CONFIG_MAPS = Collection("", "configmaps", has_status=False)
NAMESPACES = Collection("", "namespaces", namespaced=False)

LONGEST_S = 60  # an assertion that never comes true ends here instead of hanging


@asynccontextmanager
async def in_memory(folder, **options):
    history = options.pop("history", 10_000)
    async with EmbeddedStore(MemoryShelf(history=history), **options) as store:
        yield store


@asynccontextmanager
async def in_sqlite(folder, **options):
    history = options.pop("history", 10_000)
    async with EmbeddedStore(SqliteShelf(folder, history=history), **options) as store:
        yield store


@dataclass(frozen=True)
class Implementation:
    """How a store is opened; `durable`: opened again on the same folder it has what it had."""

    open: Any
    durable: bool
    compacts: bool = True


IMPLEMENTATIONS = {
    "memory": Implementation(in_memory, durable=False),
    "sqlite": Implementation(in_sqlite, durable=True),
}


def play(implementation, folder, scenario, **options):
    """Open a store, let a scenario use it, close it."""

    async def whole():
        async with implementation.open(folder, **options) as store:
            return await asyncio.wait_for(scenario(store), LONGEST_S)

    return asyncio.run(whole())


def document(kind, name, namespace="default", *, labels=None, owners=(), finalizers=(), spec=None, **rest):
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = labels
    if owners:
        metadata["ownerReferences"] = list(owners)
    if finalizers:
        metadata["finalizers"] = list(finalizers)
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **({"spec": spec} if spec else {}), **rest}


def pool(name="chat", namespace="default", **more):
    made = document("AgentPool", name, namespace, **{"spec": {"replicas": 1}, **more})
    return {**made, "apiVersion": "neuronetes.io/v1alpha1"}


def pod(name="p", namespace="default", **more):
    return document("Pod", name, namespace, **{"spec": {"containers": [{"name": "c"}]}, **more})


def config_map(name="c", namespace="default", **more):
    return document("ConfigMap", name, namespace, **more)


def namespace_named(name):
    return document("Namespace", name, "")


def key(collection, name, namespace="default"):
    return Key(collection, namespace if collection.namespaced else "", name)


def owner(stored, *, block=False):
    """A reference to a stored object."""
    made = stored.document()
    metadata = made["metadata"]
    reference = {"apiVersion": made["apiVersion"], "kind": made["kind"], "name": metadata["name"]}
    return {**reference, "uid": metadata["uid"], **({"blockOwnerDeletion": True} if block else {})}


def metadata_of(stored):
    return stored.document()["metadata"]


def names(page):
    return [metadata_of(each)["name"] for each in page.items]


async def take(watch, count):
    """The next changes of a watch, as (type, name)."""
    changes = [await anext(watch) for _ in range(count)]
    return [(str(change.type), metadata_of(change.stored)["name"]) for change in changes]


async def quiet(watch, s=0.05):
    """Whether a watch has nothing more to say now."""
    try:
        await asyncio.wait_for(anext(watch), s)
    except TimeoutError:
        return True
    return False


async def eventually(question):
    """Wait until an async question is answered with something true, and return that."""
    for pause in itertools.chain((0,) * 20, itertools.repeat(0.01)):
        if answer := await question():
            return answer
        await asyncio.sleep(pause)
    raise AssertionError


async def is_gone(store, where):
    page = await store.list(where.collection, where.namespace)
    return where.name not in names(page)


def merged(**fields):
    """A patch that sets fields of the spec."""

    def change(latest):
        latest["spec"] = {**(latest.get("spec") or {}), **fields}
        return latest

    return change


def watching(store, collection, *rest, **more):
    return aclosing(store.watch(collection, *rest, **more))
