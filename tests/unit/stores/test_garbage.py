"""What the contract suite cannot show: cascades go on after the store could not write, and wait for one another."""

import asyncio

from bayplan.control.store import Collection, Key
from bayplan.control.store_errors import StoreFailedError
from bayplan.stores import garbage
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf

MAPS = Collection("", "configmaps", has_status=False)


class FullAtTimes(MemoryShelf):
    """Refuses deletions until there is space."""

    full = False
    refused = 0

    async def write(self, writes):
        if self.full and any(each.gone for each in writes):
            self.refused += 1
            raise StoreFailedError("the disk is full")
        return await super().write(writes)


def owned(name, uid):
    owners = [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": uid}]
    return {"metadata": {"name": name, "namespace": "default", "ownerReferences": owners}}


def names(page):
    return [each.document()["metadata"]["name"] for each in page.items]


def test_a_cascade_that_the_disk_refused_is_tried_again(monkeypatch):
    monkeypatch.setattr(garbage, "_AGAIN_S", 0.001)

    async def talk():
        shelf = FullAtTimes()
        async with EmbeddedStore(shelf) as store:
            above = await store.create(MAPS, {"metadata": {"name": "a", "namespace": "default"}})
            for name in "bc":
                await store.create(MAPS, owned(name, above.document()["metadata"]["uid"]))
            await store.delete(Key(MAPS, "default", "a"))
            shelf.full = True
            while shelf.refused < 5:
                await asyncio.sleep(0.001)
            held = names(await store.list(MAPS))
            shelf.full = False
            await store.settled()
            return held, names(await store.list(MAPS))

    assert asyncio.run(talk()) == (["b", "c"], [])


def test_many_dependents_go_in_several_rounds(monkeypatch):
    monkeypatch.setattr(garbage, "_AT_ONCE", 7)

    async def talk():
        async with EmbeddedStore(MemoryShelf()) as store:
            above = await store.create(MAPS, {"metadata": {"name": "a", "namespace": "default"}})
            uid = above.document()["metadata"]["uid"]
            await asyncio.gather(*(store.create(MAPS, owned(f"b{number}", uid)) for number in range(40)))
            await store.delete(Key(MAPS, "default", "a"))
            await store.settled()
            return names(await store.list(MAPS))

    assert asyncio.run(talk()) == []
