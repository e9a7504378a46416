"""An hour with many faults: nothing is ever given out twice, and in the end everything runs that fits."""

from bayplan.control.nodes.settings import NodeSettings
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.scheduling.ledger_drift import ledger_drift
from bayplan.library.invariants.checks import check_invariants
from bayplan.library.invariants.stored_objects import KINDS
from bayplan.sim.fleet.pace import Pace
from bayplan.sim.fleet.scenario import Do, Event, Fault, Rate
from unit.sim.fleet.simulation import is_ready, pod, simulated, virtually, worker, workload

RATES = (
    Rate(0.5, Fault(Do.FAIL, "w-*", lasts_s=240.0)),
    Rate(0.5, Fault(Do.CUT, "w-*", lasts_s=400.0)),
    Rate(0.3, Fault(Do.FLAP, "w-*", lasts_s=300.0, period_s=60.0)),
    Rate(0.3, Fault(Do.BREAK_CARD, "w-*", lasts_s=500.0, card=1)),
    Rate(0.3, Fault(Do.RECLAIM, "w-*", lasts_s=300.0, notice_s=60.0)),
    Rate(0.5, Fault(Do.CRASH, "*")),
    Rate(0.2, Fault(Do.HANG, "*", lasts_s=300.0)),
)


async def _violations(system):
    objects = []
    for kind in REGISTRY.kinds:
        if kind.kind in KINDS and kind.stored:
            objects += [each.document() for each in (await system.store.list(kind.collection)).items]
    found = check_invariants(objects)
    assert found["cluster"]["ok"], found["cluster"]["problems"]
    told = [(each["id"], each["violations"]) for each in found["invariants"] if each["ok"] is False]
    drift = await ledger_drift(system.control.scheduling.live)
    return told + ([("I13", drift)] if drift else [])


@virtually
async def test_an_hour_of_faults():
    settings = NodeSettings(eviction_s=60.0, outage_share=0.9)
    fleet = {"pace": Pace(start_s=2.0, job_s=400.0), "rates": RATES, "settings": settings}
    async with simulated(worker("w", 8, count=12), **fleet) as system:
        await system.create(*(workload(f"chat-{number}", 3, gpus=1 + number % 2) for number in range(8)))
        await system.create(*(workload(f"gang-{number}", 2, gpus=4, gang={}) for number in range(3)))
        for minute in range(60):
            await system.create(pod(f"batch-{minute}", restartPolicy="Never"))
            await system.after(60.0)
            assert (await _violations(system)) == []
        assert system.fleet.faults.happened > 20

        system.fleet.faults.end()
        await system.after(1200.0)

        found = await system.pods()
        unready = {name for name, each in found.items() if not is_ready(each) and each["status"]["phase"] == "Running"}
        pending = {name for name, each in found.items() if not each["spec"].get("nodeName")}
        assert (unready, pending) == (set(), set())
        servers = [each for each in found.values() if "ownerReferences" in each["metadata"] and is_ready(each)]
        assert len(servers) == 8 * 3 + 3 * 2
        assert (await _violations(system)) == []


EVENT = Event(60.0, Fault(Do.FAIL, "*", lasts_s=600.0))


@virtually
async def test_when_all_workers_are_silent_nothing_is_evicted():
    settings = NodeSettings(eviction_s=60.0)
    async with simulated(worker("w", 8, count=6), events=(EVENT,), settings=settings, pace=Pace()) as system:
        await system.create(workload("chat", 20))
        await system.after(50)
        before = {each["metadata"]["uid"]: each["spec"]["nodeName"] for each in (await system.pods()).values()}
        await system.after(500)
        assert (await system.ready()) == {}

        await system.after(200)

        after = {each["metadata"]["uid"]: each["spec"]["nodeName"] for each in (await system.pods()).values()}
        assert after == before
        assert len(await system.ready()) == 20
