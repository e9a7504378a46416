"""What doctor says about the ledger of a loop that runs."""

from dataclasses import replace

import pytest

from bayplan.control.scheduling.ledger_drift import ledger_drift
from unit.control.scheduling.scheduler import A100, pod, running, virtually, worker, workload

WATCHED = worker("a", gpus=[{"index": number, **A100, "observedUsed": "3Gi"} for number in range(4)])


@virtually
async def test_a_ledger_that_is_right_has_no_drift():
    async with running(worker("b"), WATCHED) as system:
        await system.create(pod("foreign", 1, schedulerName="default-scheduler", nodeName="b"), pod("one"))
        await system.workload(workload("chat", 2, gpus=2))
        await system.workload(workload("share", 2, gpus={"count": 1, "memory": "10Gi"}))
        await system.delete("one")

        ledger = system.loop.live.state.ledger
        assert ledger.snapshot.table.columns["card_observed_mib"].max() > 3 * 1024
        assert await ledger_drift(system.loop.live) == []


def release(live, booking):
    live.state.ledger.release([booking])


def forget(live, booking):
    live.pods.drop(live.pods.pod_of(booking))


def double(live, booking):
    live.state.ledger.admit([copy := replace(booking, replica=9)])
    live.pods.set(("default", "ghost"), copy)


def miscount(live, booking):
    live.state.ledger.table.write(0, {"cpu_booked_milli": 1})


SPOILED = {
    "a booking is lost":     (release,  "does not count Pod default/one, which is bound there"),
    "its holder is lost":    (forget,   "does not count Pod default/one, which is bound there"),
    "a booking too many":    (double,   "counts Pod default/ghost, which is not bound there"),
    "a column is not right": (miscount, "counts wrong: cpu_booked_milli is 1, bindings make 0"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "said"), SPOILED.values(), ids=SPOILED)
def test_drift_is_found(spoil, said):
    @virtually
    async def scenario():
        async with running(worker("a")) as system:
            await system.create(pod("one"))
            live = system.loop.live
            (booking,) = live.state.ledger.bookings
            spoil(live, booking)

            assert await ledger_drift(live) == [f"worker a: the scheduler {said}"]

    scenario()
