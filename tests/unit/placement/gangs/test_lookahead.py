"""How many copies each worker holds, and what is known after it changed."""

from dataclasses import replace

import numpy as np
import pytest

from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.asks.subject import Subject
from bayplan.placement.decision.tuning import PLAIN, Tuning
from bayplan.placement.gangs.lookahead import Copies, counts_copies, positions
from fleets import booking, whole
from unit.placement.builders import ask, planned_cluster, worker
from unit.placement.gangs.racks import rack

CARD = ask(taking=Taking.WHOLE, shapes=(CardShape(1),))
PAIR = ask(taking=Taking.WHOLE, shapes=(CardShape(2),))
WORKERS = [*rack("x", 4), *rack("y", 2, 1), worker("z", cards=3)]


def known(asked, *workers, bookings=(), **others):
    ready = planned_cluster(*workers, bookings=bookings)
    return ready.snapshot, Copies(ready.strategies, "pack", asked, ready.snapshot.table, **others)


def rooms(snapshot, found):
    return {each.name: int(room) for each, room in zip(snapshot.workers, found.rooms, strict=True)}


def share(mib, cards=1):
    return ask(taking=Taking.SHARE, shapes=(CardShape(cards, mib),), rule=CardRule(needs_memory=True))


ROOMS = {
    "whole cards": (CARD, (), {"x-0": 4, "y-0": 2, "y-1": 1, "z": 3}),
    "pairs": (PAIR, (), {"x-0": 2, "y-0": 1, "y-1": 0, "z": 1}),
    "shares": (share(15_000), (), {"x-0": 8, "y-0": 4, "y-1": 2, "z": 6}),
    "beside others": (CARD, [booking("o", whole(0), on="z")], {"x-0": 4, "y-0": 2, "y-1": 1, "z": 2}),
}


@pytest.mark.parametrize(("asked", "bookings", "expected"), ROOMS.values(), ids=ROOMS)
def test_rooms(asked, bookings, expected):
    assert rooms(*known(asked, *WORKERS, bookings=bookings)) == expected


def test_each_further_copy():
    _, found = known(share(20_000), worker("a", cards=2))
    taken = [found.cards(0, number) for number in range(4)]

    assert [(each.shape, positions(each.bits)) for each in taken] == [(0, [0]), (0, [0]), (0, [1]), (0, [1])]
    assert found.total(0, 1) > found.total(0, 0)
    assert (found.total(0, 4), found.total(0, 9)) == (-np.inf, -np.inf)


def test_the_best_copies_each_beside_the_former_ones():
    snapshot, found = known(PAIR, *WORKERS)
    picked = found.pick(9)

    assert [(snapshot.workers[copy.row].name, copy.number) for copy in picked] == [
        ("y-0", 0), ("z", 0), ("x-0", 0), ("x-0", 1),
    ]  # fmt: skip
    assert not snapshot.table.columns["bookings"].any()


def test_only_some_rows():
    _, found = known(CARD, *WORKERS, rows=slice(1, 3))

    assert len(found.rooms) == 2
    assert {copy.row for copy in found.pick(20)} == {1, 2}


def test_what_is_left_once_copies_are_booked():
    snapshot, found = known(CARD, worker("a", cards=4), worker("b", cards=4))
    found.book(found.pick(3))

    assert found.rooms.tolist() == [1, 4]
    assert snapshot.table.columns["wholly_free_count"].tolist() == [1, 4]
    assert positions(found.cards(0, 0).bits) == [3]


def test_a_worker_that_holds_more_than_is_foreseen():
    _, found = known(CARD, worker("a", cards=8), most=3)
    seen = []
    while picked := found.pick(8):
        seen.append((int(found.rooms[0]), len(picked)))
        found.book(picked)

    assert seen == [(3, 3), (3, 3), (2, 2)]
    assert found.rooms.tolist() == [0]


COUNTED = {
    "whole cards": (CARD, PLAIN, True),
    "nothing": (ask(cpu_milli=1), PLAIN, True),
    "weights of its own": (CARD, Tuning(weights=(("binpack", 2.0),)), True),
    "cards of several workers": (ask(taking=Taking.WHOLE, shapes=(CardShape(2),), spans=True), PLAIN, False),
    "instances": (ask(taking=Taking.SLICES, mig="1g.5gb", shapes=(CardShape(1),)), PLAIN, False),
    "a sample": (CARD, Tuning(sample=1), False),
    "a budget": (replace(CARD, max_usd_per_hour=9.0), PLAIN, False),
    "two shapes": (ask(taking=Taking.SHARE, shapes=(CardShape(1, 9), CardShape(2, 5))), PLAIN, False),
}


@pytest.mark.parametrize(("asked", "tuning", "counted"), COUNTED.values(), ids=COUNTED)
def test_which_asks_are_counted(asked, tuning, counted):
    ready = planned_cluster(worker("a", cards=2))

    assert counts_copies(ready.strategies, "pack", asked, ready.snapshot.table, tuning) is counted


@pytest.mark.parametrize(("strategy", "cards"), [("spread", 2), ("pack", 65)], ids=["looks at other rows", "too wide"])
def test_which_workers_and_strategies_are_not(strategy, cards):
    ready = planned_cluster(worker("a", cards=cards))

    assert not counts_copies(ready.strategies, strategy, CARD, ready.snapshot.table)


def test_copies_on_a_fork():
    ready = planned_cluster(worker("a", cards=2))
    fork = ready.snapshot.table.fork()
    found = Copies(ready.strategies, "pack", CARD, fork)
    found.book(found.pick(1))

    assert found.rooms.tolist() == [1]
    assert ready.snapshot.table.columns["bookings"].tolist() == [0]
    assert ready.strategies.place(Subject("x"), "pack", (PAIR,), table=fork).ok is False
