"""What Pods like a new one took so far is known to its placement."""

from bayplan.cluster.workload import DryRun
from bayplan.control.cache import Cache
from bayplan.control.collections import PODS, WORKLOADS
from bayplan.control.scheduling.units import Unit, UnitKey, UnitReader
from bayplan.sim.virtual_time import run_virtually
from bayplan.stores.embedded import EmbeddedStore
from bayplan.stores.memory import MemoryShelf
from unit.control.scheduling.scheduler import pod, workload

SEEN = (DryRun("A100-SXM4-80GB", 90.0, 50_000),)


def read(owner, known=SEEN):
    """The dry runs of a workload with one pending Pod."""

    async def reading():
        async with EmbeddedStore(MemoryShelf()) as store:
            stored = (await store.create(WORKLOADS, owner)).document()
            waiting = (await store.create(PODS, pod("chat-1", owner=stored))).document()
            cache = Cache(store, UnitReader.collections)
            await cache.start()
            unit = Unit(UnitKey(WORKLOADS, "default", "chat"), {("default", "chat-1"): waiting})
            sized = UnitReader(cache, lambda each: known if each["metadata"]["name"] == "chat-1" else ()).sized(
                unit, lambda _: (), ()
            )
            await cache.stop()
            return sized.roles[0].shape.dry_run

    return run_virtually(reading())


def test_maxima_stand_in_for_a_trial_run():
    assert read(workload("chat")) == SEEN


def test_a_trial_run_of_the_workload_counts_before_them():
    given = read(workload("chat", dryRun={"L4": {"gpuPercent": 10, "memory": "1Gi"}}))

    assert given == (DryRun("L4", 10.0, 1024),)


def test_nothing_is_known():
    assert read(workload("chat"), ()) == ()
