"""Who holds a worker's cards, and which of them cannot be had whole."""

import pytest

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.answers.why import explain
from bayplan.placement.cards.holders import holders_by_worker, unusable_by_worker
from unit.placement.builders import gpu, planner, role, sized, worker

PAIR = worker("a", cards=[gpu(0, mig=MigState(enabled=False, reconfigurable=True)), gpu(1)])


def booked(*cards, workload="other", on="a", **others):
    return Booking(workload, 0, on, cards=cards, **others)


HELD = {
    "whole cards": ((CardBooking(0), CardBooking(1)), ("cuda:0", "cuda:1"), 81_920),
    "a share": ((CardBooking(0, memory_mib=100),), ("cuda:0",), 100),
    "an instance": ((CardBooking(0, mig=MigInstance("3g.20gb", 0)),), ("cuda:0",), 20_480),
    "two instances of one card": (
        (CardBooking(0, mig=MigInstance("1g.5gb", 0)), CardBooking(0, mig=MigInstance("1g.5gb", 1))),
        ("cuda:0",), 10_240,
    ),
    "an instance of no known card": ((CardBooking(None, mig=MigInstance("1g.5gb")),), ("mig 1g.5gb",), 0),
    "no card": ((), (), 0),
}  # fmt: skip


@pytest.mark.parametrize(("cards", "gpus", "memory_mib"), HELD.values(), ids=HELD)
def test_what_a_booking_holds(cards, gpus, memory_mib):
    ((holder,),) = holders_by_worker(Snapshot.load([PAIR]), [booked(*cards, priority=3)]).values()

    assert (holder.workload, holder.replica, holder.priority, holder.gpus, holder.memory_mib) == (
        "other", 0, 3, gpus, memory_mib,
    )  # fmt: skip


def test_only_the_workers_that_are_named():
    snapshot = Snapshot.load([PAIR, worker("b", cards=1)])
    bookings = [booked(CardBooking(0)), booked(CardBooking(0), on="b"), booked(CardBooking(0), on="gone")]

    assert list(holders_by_worker(snapshot, bookings)) == ["a", "b"]
    assert list(holders_by_worker(snapshot, bookings, ["b"])) == ["b"]


UNUSABLE = {
    "free": (gpu(), (), []),
    "unhealthy, whoever holds it": (gpu(healthy=False), (CardBooking(0),), [("cuda:0", "unhealthy", None)]),
    "MIG is enabled": (gpu(mig=MigState(enabled=True)), (), [("cuda:0", "mig", None)]),
    "an instance is booked": (gpu(), (CardBooking(0, mig=MigInstance("1g.5gb", 0)),), [("cuda:0", "mig", None)]),
    "held whole": (gpu(), (CardBooking(0),), [("cuda:0", "held", None)]),
    "shared": (gpu(), (CardBooking(0, memory_mib=9),), [("cuda:0", "shared", None)]),
    "used by others": (gpu(observed_used_mib=9_000), (), [("cuda:0", "foreign", 9_000)]),
    "shared, and used by others": (
        gpu(observed_used_mib=9_000), (CardBooking(0, memory_mib=1_000),), [("cuda:0", "shared", 8_000)],
    ),
    "used by others a little": (gpu(observed_used_mib=2_000), (), []),
}  # fmt: skip


@pytest.mark.parametrize(("card", "held", "expected"), UNUSABLE.values(), ids=UNUSABLE)
def test_what_makes_a_card_unusable(card, held, expected):
    snapshot = Snapshot.load([worker("a", cards=[card])], [booked(*held)] if held else ())

    assert list(unusable_by_worker(snapshot, snapshot.table, ["a"])["a"]) == expected


def test_why_names_holders_only_where_bookings_are_the_reason():
    both = [booked(CardBooking(0)), booked(CardBooking(0), workload="small", on="b")]
    why = explain(planner(PAIR, worker("b", cards=1), bookings=both), sized(role(gpus={"count": 2})))

    answers = {each.worker: [holder.workload for holder in each.held_by] for each in why.workers}
    assert answers == {"a": ["other"], "b": []}
    assert {each.worker: len(each.unusable) for each in why.workers} == {"a": 1, "b": 1}
