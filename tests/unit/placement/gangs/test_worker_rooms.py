"""What filters say of many copies at once."""

import pytest

from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Taking
from bayplan.placement.decision.tuning import PLAIN
from bayplan.placement.gangs.lookahead import unconstrained
from bayplan.placement.gangs.worker_rooms import worker_rooms
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, planned_cluster, worker

MEMORY = CardRule(needs_memory=True)
WORKER = worker("a", cards=[gpu(0), gpu(1), gpu(2, memory_mib=24_000)], cpu_milli=8_000, ram_mib=10_000)


def rooms(asked, *workers, bookings=(), most=64):
    ready = planned_cluster(*(workers or (WORKER,)), bookings=bookings)
    evaluator = unconstrained(ready.strategies, "pack", asked, ready.snapshot.table, PLAIN)
    found = worker_rooms(evaluator, asked, most)
    return None if found is None else found.tolist()


def cards(count, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(count),), **others)


def part(mib, **others):
    return ask(taking=Taking.SHARE, shapes=(CardShape(1, mib),), rule=MEMORY, **others)


ROOMS = {
    "whole cards": (cards(1), (), [3]),
    "pairs of one kind": (cards(2), (), [1]),
    "beside others": (cards(1), [booking("o", whole(0), on="a")], [2]),
    "limited by CPU": (cards(1, cpu_milli=5_000), (), [1]),
    "limited by RAM": (part(1_000, ram_mib=4_000), (), [2]),
    "shares of each card": (part(10_000), (), [4 + 4 + 2]),
    "shares beside others": (part(10_000), [booking("o", share(0, 39_000), on="a")], [4 + 2]),
    "compute": (ask(taking=Taking.SHARE, shapes=(CardShape(1),), compute_milli=400), (), [2 + 2 + 2]),
    "no cards": (ask(cpu_milli=3_000), (), [2]),
    "nothing at all": (ask(), (), [64]),
    "refused already": (cards(4), (), [0]),
}


@pytest.mark.parametrize(("asked", "bookings", "expected"), ROOMS.values(), ids=ROOMS)
def test_rooms(asked, bookings, expected):
    assert rooms(asked, bookings=bookings) == expected


def test_no_more_than_are_wanted():
    assert rooms(part(100), most=5) == [5]


FORESEEN = {
    "two shapes": ask(taking=Taking.SHARE, shapes=(CardShape(1, 9), CardShape(2, 5)), rule=MEMORY),
    "a fraction of each card": part(10_000, fit=Fit(1, FractionOf.CARD)),
    "a share of nothing": part(0),
}


@pytest.mark.parametrize("asked", FORESEEN.values(), ids=FORESEEN)
def test_what_must_be_foreseen(asked):
    assert rooms(asked) is None
