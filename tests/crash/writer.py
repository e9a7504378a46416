"""A process that writes to a store as fast as it can, and notes what it asks and what is answered, until it is killed.

Every note is one write to a file that is never closed: the kernel keeps it when the process dies.
"""

import asyncio
import json
import os
import random
import sys
from pathlib import Path

from bayplan.control.store import Binding, Collection, Deletion, Key, Propagation
from bayplan.control.store_errors import AlreadyExistsError, StaleError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf

MAPS = Collection("", "configmaps", has_status=False)
PODS = Collection("", "pods")
NODES = Collection("", "nodes", namespaced=False)
GROUPS = Collection("scheduling.x-k8s.io", "podgroups")
WORKER = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker"}}
CLIENTS = 8
COUNTER = Key(MAPS, "default", "counter")


def config_map(name, value, **metadata):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "data": {"value": value},
    }


def pod(name, group):
    metadata = {"name": name, "namespace": "default", "labels": {"scheduling.x-k8s.io/pod-group": group}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": []}}


def pod_group(name, least):
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"minMember": least},
    }


class Notes:
    """The file of questions and answers."""

    def __init__(self, path):
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, **note):
        os.write(self._file, json.dumps(note).encode() + b"\n")


class Client:
    """Asks for one thing after the other about objects that no other client touches, but for the counter."""

    def __init__(self, store, notes, name, chance):
        self._store = store
        self._notes = notes
        self._name = name
        self._chance = chance
        self._asked = 0
        self._mine = {}

    async def run(self):
        actions = (self.create, self.create, self.update, self.update, self.delete, self.taken)
        actions += (self.stale, self.count, self.bind, self.family)
        while True:
            await self._chance.choice(actions)()

    async def ask(self, awaitable, **question):
        """Note the question, wait, note the answer."""
        self._asked += 1
        number = f"{self._name}-{self._asked}"
        self._notes.write(id=number, **question)
        try:
            answer = await awaitable
        except (AlreadyExistsError, StaleError) as refusal:
            self._notes.write(id=number, refused=refusal.code)
            return None
        revision = answer if isinstance(answer, int) else answer.revision
        self._notes.write(id=number, revision=revision)
        return answer

    def fresh(self):
        return f"{self._name}-{self._asked}"

    def one(self):
        return self._chance.choice(list(self._mine)) if self._mine else None

    async def create(self):
        name, value = self.fresh(), self.fresh()
        await self.ask(self._store.create(MAPS, config_map(name, value)), sets={name: value})
        self._mine[name] = value

    async def update(self):
        if name := self.one():
            value = self.fresh()
            await self.ask(self._store.update(Key(MAPS, "default", name), config_map(name, value)), sets={name: value})

    async def delete(self):
        if name := self.one():
            del self._mine[name]
            await self.ask(self._store.delete(Key(MAPS, "default", name)), sets={name: None})

    async def taken(self):
        """A name that exists: must be refused, and the value must never be seen."""
        if name := self.one():
            await self.ask(self._store.create(MAPS, config_map(name, "forbidden")), sets={name: "forbidden"})

    async def stale(self):
        if name := self.one():
            wrong = config_map(name, "forbidden", resourceVersion="1")
            await self.ask(self._store.update(Key(MAPS, "default", name), wrong), sets={name: "forbidden"})

    async def count(self):
        def one_more(latest):
            latest["data"]["value"] = str(int(latest["data"]["value"]) + 1)
            return latest

        await self.ask(self._store.patch(COUNTER, one_more), counts=1)

    async def bind(self):
        """Two pods of a gang, which get their workers together."""
        gang = self.fresh()
        pair = [f"{gang}-a", f"{gang}-b"]
        await self.ask(self._store.create(GROUPS, pod_group(gang, 2)), declares=gang)
        for name in pair:
            await self.ask(self._store.create(PODS, pod(name, gang)), sets={name: ""})
        bindings = [Binding("default", name, "worker") for name in pair]
        await self.ask(self._store.bind(bindings), sets=dict.fromkeys(pair, "worker"))

    async def family(self):
        """An owner with two dependents that goes again, in the background or the foreground."""
        owner = self.fresh()
        made = await self.ask(self._store.create(MAPS, config_map(owner, "owner")), sets={owner: "owner"})
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "blockOwnerDeletion": True}
        reference["uid"] = made.document()["metadata"]["uid"]
        for _ in range(2):
            child = config_map(self.fresh(), "child", ownerReferences=[reference])
            await self.ask(self._store.create(MAPS, child), follows=owner)
        how = Deletion(self._chance.choice((Propagation.BACKGROUND, Propagation.FOREGROUND)))
        await self.ask(self._store.delete(Key(MAPS, "default", owner), how), ends=owner)


async def write_for_ever(folder, notes, name, chance, history):
    async with EmbeddedStore(SqliteShelf(folder, history=history)) as store:
        if not any(b'"counter"' in each.text for each in (await store.list(MAPS)).items):
            await store.create(MAPS, config_map("counter", "0"))
        if not (await store.list(NODES)).items:
            await store.create(NODES, WORKER)
        notes.write(start=(await store.list(MAPS)).revision)
        clients = (Client(store, notes, f"{name}-{number}", chance) for number in range(CLIENTS))
        await asyncio.gather(*(client.run() for client in clients))


if __name__ == "__main__":
    where, log, run_name, seed, kept = sys.argv[1:]
    asyncio.run(write_for_ever(Path(where), Notes(log), run_name, random.Random(int(seed)), int(kept)))  # noqa: S311
