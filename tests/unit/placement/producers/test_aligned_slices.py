"""MIG instances come from one NUMA zone where a worker insists on it."""

import pytest

from bayplan.cluster.mig import MigState
from bayplan.cluster.workload import Container
from bayplan.placement.asks.ask import CardShape, Taking
from bayplan.placement.producers.aligned_slices import AlignedSlices
from unit.placement.builders import (
    ask,
    gpu,
    keeps_its_promises,
    planner,
    role,
    sized,
    worker,
)
from unit.placement.numa_builders import usable, zoned

ROOMY = ((8, 999), (8, 999))


STRATEGIES = ["pack", "spread"]


CUT = MigState(enabled=True, reconfigurable=True)


def cut(*zones, cards):
    """A worker whose cards may be cut as one likes; up to seven instances of 1g.5gb each."""
    numa = zoned(*zones).numa
    gpus = [gpu(index, numa=zone, mig=CUT) for index, zone in enumerate(cards)]
    return worker(cards=gpus, numa=numa, cpu_milli=99_000, ram_mib=99_000)


SLICES = {
    "of the zone with the fewest that suffice": (8, 1, cut(*ROOMY, (8, 999), cards=[0, 0, 0, 1, 1]), {3, 4}),
    "of the zone that has the CPU": (2, 4, cut((1, 999), (8, 999), cards=[0, 0, 1]), {2}),
    "no zone has so many": (8, 1, cut(*ROOMY, cards=[0, 1]), None),
    "no zone has the CPU": (1, 9, cut(*ROOMY, cards=[0, 1]), None),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("count", "cores", "on", "cards"), SLICES.values(), ids=SLICES)
def test_instances_come_from_one_zone(count, cores, on, cards, strategy):
    gpus = {"count": count, "mig": "1g.5gb"}
    what = role(gpus=gpus, cpu_milli=1000 * cores, strategy=strategy)
    plan = planner(on).plan(sized(what))

    taken = {card.index for each in plan.replicas for booked in each.placed.bookings for card in booked.cards}
    assert taken <= (cards or set())
    assert bool(taken) == (cards is not None)
    if cards is None:
        assert [each.code for each in plan.refused.workers["a"]] == ["numa-misaligned"]


def test_instances_container_by_container():
    on = cut((2, 999), (2, 999), cards=[0, 1])
    containers = tuple(Container(2000, 1, 4) for _ in range(2))
    what = role(gpus={"count": 8, "mig": "1g.5gb"}, cpu_milli=4000, ram_mib=2, containers=containers)
    (replica,) = planner(on).plan(sized(what)).replicas

    assert {card.index for card in replica.placed.bookings[0].cards} == {0, 1}


def test_contract_of_slices():
    asks = [
        ask(taking=Taking.SLICES, mig="1g.5gb", shapes=(CardShape(count),), cpu_milli=1000 * cores)
        for count, cores, *_ in SLICES.values()
    ]
    workers = [on for _, _, on, _ in SLICES.values()]
    keeps_its_promises(AlignedSlices(), workers, asks, made=usable(workers))
