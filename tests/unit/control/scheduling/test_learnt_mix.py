import asyncio
import json

from bayplan.control.collections import NODES, PODS
from bayplan.control.store import Deletion, Key
from bayplan.control.system import ControlSystem
from bayplan.library.replay import replay
from bayplan.placement.packing.mix import ENOUGH
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.scheduling.scheduler import nodes, pod, virtually, worker


async def come_and_go(store, number):
    """Workloads of several sizes come, and go again."""
    for each in range(number):
        name = f"pod-{each}"
        await store.create(PODS, pod(name, 1 + each % 3))
        await asyncio.sleep(0.1)
        await store.delete(Key(PODS, "default", name), Deletion(grace_s=0))


@virtually
async def test_what_was_learnt_survives_a_restart_and_changes_how_work_is_packed():
    loop = asyncio.get_running_loop()
    async with EmbeddedStore(MemoryShelf(), clock=loop.clock) as store:
        for each in nodes(worker("a", 4), worker("b"), worker("c")):
            await store.create(NODES, each)
        system = ControlSystem(store, clock=loop.clock)
        await system.start()
        await come_and_go(store, 50)
        assert (system.mix.mix.seen, system.mix.mix.known) == (50, False)
        await system.stop()

        system = ControlSystem(store, clock=loop.clock)
        await system.start()
        assert system.mix.mix.seen == 50
        await come_and_go(store, ENOUGH)
        assert system.mix.mix.known
        assert system.scheduling.live.state.strategies.looks_ahead

        for each in range(12):
            await store.create(PODS, pod(f"last-{each}", 1 + each % 3))
            await asyncio.sleep(0.1)
        for each in system.records.newest(12):
            record = json.loads(json.dumps(system.records.exported(each["id"])))
            assert record["inputs"]["outlook"]["epoch"] > 0
            assert replay(record)["differences"] == []
        await system.stop()


@virtually
async def test_what_cannot_be_read_is_learnt_anew():
    loop = asyncio.get_running_loop()
    async with EmbeddedStore(MemoryShelf(), clock=loop.clock) as store:
        system = ControlSystem(store, clock=loop.clock)
        await system.mix._write('{"seen": "many"}')

        await system.start()

        assert system.mix.mix.seen == 0
        await system.stop()
