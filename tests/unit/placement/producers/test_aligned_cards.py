"""Where a worker insists on single NUMA zones, the cards that it gives come from one."""

import pytest

from bayplan.placement.asks.ask import CardRule, CardShape, Layers, Taking
from bayplan.placement.producers.aligned_cards import AlignedCards
from fleets import booking, share, whole
from unit.placement.builders import (
    ask,
    cards_of,
    chosen,
    gpu,
    keeps_its_promises,
    planner,
    role,
    seen,
    sized,
    worker,
)
from unit.placement.numa_builders import pod, usable, wants, zoned

SHARE = {"taking": Taking.SHARE, "rule": CardRule(needs_memory=True)}
ROOMY = ((8, 999), (8, 999))

CHOICES = {
    "the lowest": (wants(1, 1, 1), zoned(*ROOMY, cards=[1, 0]), (), [0]),
    "of the zone that holds it": (wants(2, 1, 1), zoned((1, 999), (8, 999), cards=[0, 0, 1, 1]), (), [2]),
    "two of one zone": (wants(1, 1, 2), zoned(*ROOMY, cards=[0, 1, 0, 1]), (), [0, 2]),
    "of the zone with the fewest free": (wants(1, 1, 2), zoned(*ROOMY, cards=[0, 0, 0, 1, 1]), (), [3, 4]),
    "one card of any zone, the fullest": (
        ask(cpu_milli=1000, shapes=(CardShape(1, 1000),), **SHARE), zoned(*ROOMY, cards=[0, 0, 1]),
        (booking("o", share(2, 500)),), [2]),
    "but not of one that lacks CPU": (
        ask(cpu_milli=2000, shapes=(CardShape(1, 1000),), **SHARE), zoned((8, 999), (1, 999), cards=[0, 0, 1]),
        (booking("o", share(2, 500)),), [0]),
    "a smaller shape where the first has no zone": (
        ask(shapes=(CardShape(2, 30_000), CardShape(4, 15_000)), **SHARE), zoned(*ROOMY, cards=[0, 1, 0, 1]), (),
        [0, 2]),
    "a later shape that has one": (
        ask(shapes=(CardShape(2, 30_000), CardShape(1, 40_000)), **SHARE), zoned(*ROOMY, cards=[0, 1]), (), [0]),
    "layer by layer": (
        ask(taking=Taking.LAYERS, layers=Layers(2, 30_000, 0, cards=2)), zoned(*ROOMY, cards=[0, 1, 1]), (), [1, 2]),
    "container by container": (pod((5, 1, 1), (5, 1, 2)), zoned(*ROOMY, cards=[1, 1, 0, 1]), (), [0, 1, 2]),
    "no worker of that kind": (wants(1, 1, 2), zoned(*ROOMY, cards=[0, 1], policy="best-effort"), (), [0, 1]),
    "none told": (wants(1, 1, 2), worker(cards=2), (), [0, 1]),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "on", "bookings", "cards"), CHOICES.values(), ids=CHOICES)
def test_cards(asked, on, bookings, cards):
    assert chosen(asked, on, bookings=bookings)[0] == cards


def test_without_a_zone_all_cards_keep_their_room():
    """So that one filter refuses the worker, and no other."""
    rows = seen(wants(1, 1, 2), zoned(*ROOMY, cards=[0, 1]))

    assert rows.fit_order.tolist() == [0]
    assert (rows.card_room >= 0).all()


def test_a_container_s_cards_are_of_one_kind():
    mixed = zoned(*ROOMY, cards=[0, 1, 1])
    mixed = worker(numa=mixed.numa, cards=[gpu(0, numa=0, model="L4"), gpu(1, numa=0), gpu(2, numa=1)])

    assert chosen(pod((1, 1, 1), (1, 1, 1)), mixed)[0] == [1, 2]


STRATEGIES = ["pack", "spread"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_plans_follow(strategy):
    """Replicas fill zone after zone: a third finds CPU in sum, and in no zone."""
    on = zoned((3, 999), (3, 999), cards=[0, 1, 0, 1], cpu_milli=6000, ram_mib=1998)
    what = role(gpus={"count": 1}, cpu_milli=2000, strategy=strategy)
    plan = planner(on).plan(sized(what, replicas=3))

    assert sorted(cards_of(each)["a"] for each in plan.replicas) == [["cuda:0"], ["cuda:1"]]
    assert [each.code for each in plan.refused.workers["a"]] == ["numa-misaligned"]


def test_commits_are_counted_in_their_zones():
    on = zoned((3, 999), (3, 999), cards=[0, 1, 0, 1], cpu_milli=6000, ram_mib=1998)
    planned = planner(on)
    one = sized(role(gpus={"count": 1}, cpu_milli=2000), name="one")
    two = sized(role(gpus={"count": 1}, cpu_milli=2000), name="two")
    planned.commit(planned.plan(one))

    (replica,) = planned.plan(two).replicas
    assert cards_of(replica) == {"a": ["cuda:1"]}


def test_a_replica_over_workers_takes_one_zone_of_each():
    first, second = (zoned(*ROOMY, name=name, cards=[0, 0, 1]) for name in "ab")
    plan = planner(first, second).plan(sized(role(gpus={"count": 4}, distributed=True)))

    assert cards_of(plan.replicas[0]) == {name: ["cuda:0", "cuda:1"] for name in "ab"}


def test_contract():
    asks, workers, *_ = zip(*CHOICES.values(), strict=True)
    keeps_its_promises(AlignedCards(), workers, asks, made=usable(workers))


def test_held_cards_are_not_in_the_count():
    on = zoned(*ROOMY, cards=[0, 0, 0, 1, 1])

    assert chosen(wants(1, 1, 2), on, bookings=(booking("o", whole(3)),))[0] == [0, 1]
