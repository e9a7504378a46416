import asyncio

import pytest

from bayplan.control.store import Collection
from bayplan.control.store_errors import ExpiredError
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from bayplan.stores.moment import objects_at_once

MAPS = Collection("", "configmaps", has_status=False)
PODS = Collection("", "pods")


def named(name, kind="ConfigMap"):
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "default"}}


class Busy(EmbeddedStore):
    """A store in which somebody writes after every list."""

    def __init__(self, history, writes):
        super().__init__(MemoryShelf(history))
        self.lists, self._writes = 0, writes

    async def list(self, collection, *given, **said):
        page = await super().list(collection, *given, **said)
        self.lists += 1
        for number in range(self._writes):
            await self.create(PODS, named(f"later-{self.lists}-{number}", "Pod"))
        return page


def read(history, writes):
    async def talk():
        async with Busy(history, writes) as store:
            await store.create(MAPS, named("a"))
            return [each["metadata"]["name"] for each in await objects_at_once(store, [MAPS, PODS])], store.lists

    return asyncio.run(talk())


def test_what_is_written_meanwhile_is_not_seen():
    assert read(1_000, 3) == (["a"], 2)


def test_a_history_that_is_too_short_for_ever():
    with pytest.raises(ExpiredError):
        read(1, 3)
