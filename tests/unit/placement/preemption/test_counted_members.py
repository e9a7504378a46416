"""Equal members are counted: the answers of attempts, and None where only attempts can tell."""

from dataclasses import replace

import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.topology import Level, TopologyPath
from bayplan.cluster.workload import CostLimit, Locality
from bayplan.placement.gangs.attempt import fits
from bayplan.placement.preemption.candidate_victims import CandidateVictims
from bayplan.placement.preemption.counted_members import CountedMembers
from bayplan.placement.preemption.units import Budgets, bookings_of, units_of
from fleets import booking, share, whole
from unit.placement.builders import planned_cluster, role, sized, worker

TWO = role(gpus={"count": 2})
HALF = role(gpus={"count": 1, "memory_mib": 20_000})
A, B = (worker(name, cards=4, topology=TopologyPath(rack=name)) for name in "ab")
HELD = [booking(f"{on}{card}", whole(card), on=on) for on in "ab" for card in range(4)]


def counted(asked, *, bookings=HELD, gone=()):
    on = planned_cluster(A, B, bookings=bookings)
    field = CandidateVictims(on.snapshot, units_of(bookings), Budgets((), on.bookings))
    units = [unit for unit in field.units if unit.owner.name in gone]
    return CountedMembers.of(on, asked, field), units, fits(on.without(bookings_of(units)), asked)


ANSWERS = {
    "nobody goes": (sized(TWO), "", False),
    "one card too few": (sized(TWO, replicas=2), "a0 a1 b0", False),
    "on both": (sized(TWO, replicas=2), "a0 a1 b0 b1", True),
    "cards of one member are on one worker": (sized(TWO), "a0 b0", False),
    "within a rack": (sized(TWO, replicas=2, gang=Gang(within=Level.RACK)), "a0 a1 a2 a3", True),
    "in two racks": (sized(TWO, replicas=2, gang=Gang(within=Level.RACK)), "a0 a1 b0 b1", False),
    "halves of a card": (sized(HALF, replicas=2), "b3", True),
    "three halves": (sized(HALF, replicas=3), "b3", False),
}


@pytest.mark.parametrize(("asked", "gone", "wanted"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_is_that_of_an_attempt(asked, gone, wanted):
    members, units, tried = counted(asked, gone=gone.split())

    assert members is not None
    assert members.fits(units) == tried == wanted


def test_what_is_gone_from_a_card_leaves_what_others_hold_of_it():
    held = [booking("s", share(0, 30_000), on="a"), booking("t", share(0, 10_000), on="a"), *HELD[1:]]
    members, units, tried = counted(sized(HALF), bookings=held, gone=["s"])

    assert members.fits(units)
    assert tried
    assert not members.fits([])


RACK = sized(TWO, replicas=4, gang=Gang(within=Level.RACK))
REACH = {
    "all members to go": (HELD, "", 4, True),
    "one of them in each rack": (HELD, "a0 a1 b0 b1", 1, False),
    "both workers of a rack": (HELD, "a0 a1 a2 a3", 1, True),
    "a unit on both workers": ([*HELD[:-1], replace(HELD[-1], workload="a0")], "", 1, True),
}


@pytest.mark.parametrize(("bookings", "gone", "workers", "wanted"), REACH.values(), ids=REACH)
def test_what_clearing_some_more_workers_could_do(bookings, gone, workers, wanted):
    members, units, _ = counted(RACK, bookings=bookings, gone=gone.split())

    assert members.could_fit(units, workers, members.largest(members.field.units)) is wanted


UNCOUNTED = {
    "roles": sized(("x", 1, TWO), ("y", 1, HALF)),
    "linked cards": sized(role(gpus={"count": 2, "locality": Locality.NVLINK})),
    "over several workers": sized(role(gpus={"count": 8, "locality": Locality.ANY})),
    "a shared budget": sized(role(gpus={"count": 2}, cost=CostLimit(max_usd_per_hour=9.0)), replicas=2),
    "neighbours to avoid": sized(role(gpus={"count": 2}, anti_affinity=("a0",)), replicas=2),
    "spread": sized(TWO, replicas=2, spread_over=Level.RACK),
    "a gang that is too small": sized(TWO, replicas=2, gang=Gang(minimum=3)),
}


@pytest.mark.parametrize("asked", UNCOUNTED.values(), ids=UNCOUNTED)
def test_others_are_not_counted(asked):
    assert counted(asked)[0] is None


def test_a_workload_that_is_there_in_part_is_not_counted():
    asked = sized(TWO, replicas=2)
    held = booking(asked.workload.name, whole(0), whole(1), on="a")

    assert counted(asked, bookings=[held])[0] is None
