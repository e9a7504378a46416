import asyncio

import pytest

from bayplan.control.collections import LEASES, NODES, PODS
from bayplan.control.scheduling.terms import NAME, NAMESPACE, begin_term
from bayplan.control.store import Key
from bayplan.control.system import ControlSystem
from bayplan.manifests.marks import EPOCH, RECORD
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from bayplan.stores.sqlite.record_archive import RecordArchive
from unit.control.scheduling.scheduler import nodes, pod, virtually, worker

KEY = Key(LEASES, NAMESPACE, NAME)


@virtually
async def test_every_start_has_a_larger_number_that_the_lease_shows():
    async with EmbeddedStore(MemoryShelf()) as store:
        numbers = [await begin_term(store, f"host-{number}", 0.0) for number in range(3)]
        lease = (await store.get(KEY)).document()

        assert numbers == [1, 2, 3]
        assert lease["spec"]["holderIdentity"] == "host-2"
        assert lease["metadata"]["annotations"][EPOCH] == "3"
        assert lease["spec"]["renewTime"] == "1970-01-01T00:00:00.000000Z"


@virtually
async def test_two_that_begin_at_once_get_two_numbers():
    async with EmbeddedStore(MemoryShelf()) as store:
        numbers = await asyncio.gather(*(begin_term(store, "host", 0.0) for _ in range(4)))

        assert sorted(numbers) == [1, 2, 3, 4]


@pytest.mark.parametrize("spoilt", [None, "many", {}, []])
def test_a_lease_that_somebody_spoilt_begins_after_the_last_term_that_is_known(spoilt):
    @virtually
    async def scenario():
        async with EmbeddedStore(MemoryShelf()) as store:
            await begin_term(store, "host", 0.0)
            await store.patch(KEY, lambda old: {**old, "spec": {"leaseTransitions": spoilt}})

            assert await begin_term(store, "host", 0.0, after=7) == 8

    scenario()


def test_ids_of_records_never_repeat_even_where_the_lease_was_deleted(tmp_path):
    @virtually
    async def scenario():
        loop, seen = asyncio.get_running_loop(), []
        async with EmbeddedStore(MemoryShelf(), clock=loop.clock) as store:
            for life in range(4):
                archive = RecordArchive(tmp_path)
                system = ControlSystem(store, clock=loop.clock, archive=archive)
                await system.start()
                await store.create(PODS, pod(f"pod-{life}"))
                await asyncio.sleep(1)
                seen += [each["id"] for each in system.records.newest(1)]
                await system.stop()
                archive.close()
                if life == 1:
                    await store.delete(KEY)

        assert len(set(seen)) == 4

    scenario()


@virtually
async def test_a_bound_pod_names_its_term_and_its_record():
    loop = asyncio.get_running_loop()
    async with EmbeddedStore(MemoryShelf(), clock=loop.clock) as store:
        await begin_term(store, "earlier", 0.0)
        system = ControlSystem(store, clock=loop.clock)
        await system.start()
        for each in nodes(worker("a")):
            await store.create(NODES, each)
        await store.create(PODS, pod("p"))
        await asyncio.sleep(1)
        marks = (await store.get(Key(PODS, "default", "p"))).document()["metadata"]["annotations"]
        await system.stop()

    assert marks[EPOCH] == "2"
    assert marks[RECORD].startswith("2-")
