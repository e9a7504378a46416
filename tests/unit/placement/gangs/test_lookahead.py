"""How many copies each worker holds, and what is known after it changed."""

from dataclasses import replace

import numpy as np
import pytest

from bayplan.cluster.topology import Level
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.asks.subject import Subject
from bayplan.placement.decision.tuning import PLAIN, Tuning
from bayplan.placement.gangs import lookahead
from bayplan.placement.gangs.lookahead import Copies, Copy, Writes, counts_copies
from fleets import booking, share as held_share, whole
from unit.placement.builders import ask, planned_cluster, worker
from unit.placement.gangs.racks import rack

CARD = ask(taking=Taking.WHOLE, shapes=(CardShape(1),))
PAIR = ask(taking=Taking.WHOLE, shapes=(CardShape(2),))
WORKERS = [*rack("x", 4), *rack("y", 2, 1), worker("z", cards=3)]


def known(asked, *workers, bookings=(), strategy="pack"):
    ready = planned_cluster(*workers, bookings=bookings)
    found = Copies(ready.strategies, strategy, asked, ready.snapshot.table)
    found.sync()
    return ready.snapshot, found


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


def test_sums_of_racks():
    snapshot, found = known(CARD, *WORKERS)
    racks = snapshot.domains[Level.RACK]
    named = dict(zip([name[-1] for name in racks.names], found.sums(racks).tolist(), strict=True))

    assert named == {"x": 4, "y": 3}


def test_each_further_copy():
    _, found = known(share(20_000), worker("a", cards=2))

    assert [found.cards(Copy(0, number, 0.0)) for number in range(4)] == [(0, [0]), (0, [0]), (0, [1]), (0, [1])]
    assert found.total(0, 0) == found.firsts(slice(None))[0]
    assert found.total(1, 0) > found.total(0, 0)
    assert (found.total(4, 0), found.total(9, 0)) == (-np.inf, -np.inf)


def booked(snapshot, row, *cards, name="new"):
    snapshot.table.write(row, snapshot.after(row, booked=(booking(name, *cards, on=snapshot.workers[row].name),)))


CHANGES = {
    "a copy that was foreseen": lambda snapshot: booked(snapshot, 0, whole(0)),
    "another card than was foreseen": lambda snapshot: booked(snapshot, 0, whole(2)),
    "a share": lambda snapshot: booked(snapshot, 0, held_share(1, 5)),
    "a price": lambda snapshot: snapshot.table.write(0, {"usd_per_hour": 50.0}),
    "a copy and a price": lambda snapshot: (
        booked(snapshot, 0, whole(0)),
        snapshot.table.write(0, {"usd_per_hour": 50.0}),
    ),
    "nobody but another": lambda snapshot: booked(snapshot, 1, whole(0), whole(1)),
    "out of service": lambda snapshot: snapshot.table.write(0, {"status": 1}),
}


@pytest.mark.parametrize("strategy", ["pack", "five-factors"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_known_after_a_change(change, strategy):
    workers = [worker(name, cards=4, usd_per_hour=5.0) for name in "ab"]
    snapshot, found = known(CARD, *workers, strategy=strategy)
    change(snapshot)
    found.sync()
    ready = planned_cluster(*workers)
    fresh = Copies(ready.strategies, strategy, CARD, ready.snapshot.table)
    change(ready.snapshot)
    fresh.sync()

    assert found.rooms.tolist() == fresh.rooms.tolist()
    assert found.firsts(slice(None)).tolist() == fresh.firsts(slice(None)).tolist()
    for row in range(2):
        for number in range(int(found.rooms[row])):
            copy = Copy(row, number, 0.0)
            assert (found.total(number, row), found.cards(copy)) == (fresh.total(number, row), fresh.cards(copy))


def test_a_worker_that_holds_more_than_is_looked_ahead(monkeypatch):
    monkeypatch.setattr(lookahead, "MOST_COPIES", 3)
    snapshot, found = known(CARD, worker("a", cards=8))
    seen = []
    for card in range(8):
        seen.append(int(found.rooms[0]))
        booked(snapshot, 0, whole(card))
        found.sync()

    assert seen == [3, 3, 3, 3, 3, 3, 2, 1]
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
    found.sync()
    Writes(found, {0: 1}).apply()
    found.sync()

    assert found.rooms.tolist() == [1]
    assert ready.snapshot.table.columns["bookings"].tolist() == [0]
    assert ready.strategies.place(Subject("x"), "pack", (PAIR,), table=fork).ok is False


def test_somebody_wrote_before_the_copies_were():
    snapshot, found = known(CARD, worker("a", cards=4, usd_per_hour=5.0), strategy="five-factors")
    first = found.total(1, 0)
    writes = Writes(found, {0: 1})
    snapshot.table.write(0, {"usd_per_hour": 90.0})
    writes.apply()
    found.sync()

    assert found.rooms.tolist() == [3]
    assert found.total(0, 0) < first
