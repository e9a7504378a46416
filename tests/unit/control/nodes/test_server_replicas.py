"""A worker reads and reports about the server replicas that it runs, and about no others."""

import asyncio
from contextlib import aclosing

from bayplan.control.collections import NAMESPACES, PODS, SERVER_REPLICAS
from bayplan.control.nodes.server_replicas import ServerReplicas
from bayplan.control.store import Key
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf

LONGEST_S = 30


async def empty_store():
    store = EmbeddedStore(MemoryShelf())
    await store.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}})
    return store


async def stored(store, name, worker):
    """A server replica whose Pod is bound to a worker; its report."""
    metadata = {"name": name, "namespace": "default"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": worker, "containers": []}}
    await store.create(PODS, pod)
    row = {"apiVersion": "bayplan.io/v1alpha1", "kind": "ServerReplica", "metadata": metadata, "spec": {"pod": name}}
    made = (await store.create(SERVER_REPLICAS, row)).document()["metadata"]
    return {"namespace": "default", "name": name, "uid": made["uid"], "status": {"connected": True}}


def status(store, name):
    return store.get(Key(SERVER_REPLICAS, "default", name))


def test_a_worker_is_told_of_its_own_alone():
    async def run():
        store = await empty_store()
        await stored(store, "mine", "w")
        await stored(store, "yours", "other")
        async with aclosing(ServerReplicas(store).watch("w")) as told, asyncio.timeout(LONGEST_S):
            first = await anext(told)
            await stored(store, "theirs", "other")
            await stored(store, "new", "w")
            second = await anext(told)
            await store.delete(Key(SERVER_REPLICAS, "default", "mine"))
            third = await anext(told)
        return [each["metadata"]["name"] for each in first["items"]], second, third

    listed, changed, deleted = asyncio.run(run())

    assert listed == ["mine"]
    assert (changed["type"], changed["object"]["metadata"]["name"]) == ("CHANGED", "new")
    assert (deleted["type"], deleted["object"]["metadata"]["name"]) == ("DELETED", "mine")


def test_a_worker_reports_about_its_own_alone():
    async def run():
        store = await empty_store()
        mine, yours = await stored(store, "mine", "w"), await stored(store, "yours", "other")
        wrong = {**mine, "status": {"models": 3}}
        old = {**mine, "uid": "of another object"}
        none = {**mine, "name": "none"}
        answers = await ServerReplicas(store).take("w", [wrong, old, none, yours, mine])
        rows = [(await status(store, name)).document() for name in ("mine", "yours")]
        return answers, [each.get("status") for each in rows]

    answers, statuses = asyncio.run(run())

    assert "status.models" in answers[0]["error"]
    assert [each.get("gone", False) for each in answers[1:]] == [True, True, True, False]
    assert statuses == [{"connected": True}, None]
