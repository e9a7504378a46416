"""What a shelf finds at the start: objects whose owners are gone, and objects that are being deleted."""

import asyncio

import pytest

from bayplan.stores.memory import MemoryShelf
from bayplan.stores.shelf import Write
from bayplan.stores.sqlite.sqlite_shelf import SqliteShelf
from contracts.store.implementations import NODES, PODS, POOLS, key, pod, pool

SHELVES = {"memory": lambda _: MemoryShelf(), "sqlite": SqliteShelf}


def reference(uid, name="chat"):
    return {"apiVersion": "v1", "kind": "Any", "name": name, "uid": uid}


DEPENDENTS = {
    "owned": [reference("u-chat")],
    "owned-by-a-node": [reference("u-node", "n")],
    "gone": [reference("long-ago")],
    "one-is-gone": [reference("u-chat"), reference("long-ago")],
    "misnamed": [reference("u-chat", "another")],
    "elsewhere": [reference("u-far", "far")],
}


@pytest.mark.parametrize("make", SHELVES.values(), ids=SHELVES)
def test_strays_and_deletions(make, tmp_path):
    objects = [
        (key(POOLS, "chat"), pool("chat")),
        (key(POOLS, "far", "kube-system"), pool("far", "kube-system")),
        (key(NODES, "n"), {"kind": "Node", "metadata": {"name": "n"}}),
        *((key(PODS, name), pod(name, owners=owners)) for name, owners in DEPENDENTS.items()),
    ]

    async def talk():
        shelf = make(tmp_path)
        for where, document in objects:
            document["metadata"]["uid"] = f"u-{'node' if where.name == 'n' else where.name}"
            if where.name == "chat":
                document["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
            await shelf.write([Write(where, document)])
        found = sorted(each.name for each in shelf.strays()), [each.name for each in shelf.deleting()]
        await shelf.close()
        return found

    assert asyncio.run(talk()) == (["elsewhere", "gone", "misnamed", "one-is-gone"], ["chat"])
