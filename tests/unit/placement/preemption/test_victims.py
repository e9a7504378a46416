"""Who may be pushed aside for whom, and in which words each victim is named."""

import pytest

from bayplan.cluster.booking import CardBooking
from bayplan.cluster.workload import Preemption
from bayplan.placement.preemption.units import units_of
from bayplan.placement.preemption.victims import Victim, may_preempt_below, timid_roles, victims_of
from fleets import booking, instance, share, whole
from unit.placement.builders import role, sized
from unit.placement.preemption.leave import LOWER, NEVER, roles

CARD = role(gpus={"count": 1})

REASONS = {
    "cards": (booking("m", whole(0), whole(1), priority=1), "priority 1 < 9; frees 2 cards on a"),
    "one card": (booking("m", whole(0), on="b"), "priority 0 < 9; frees 1 card on b"),
    "a share": (booking("m", share(0, 2048), share(1, 2048)), "priority 0 < 9; frees 4 GiB of 2 cards on a"),
    "compute": (booking("m", share(0, None, 500), share(1)), "priority 0 < 9; frees a share of 2 cards on a"),
    "places": (
        booking("m", CardBooking(0, memory_mib=2048, compute_milli=500, places=2)),
        "priority 0 < 9; frees 2 places of 1 card on a",
    ),
    "slices": (booking("m", instance("1g.5gb", 0), whole(1)), "priority 0 < 9; frees 1 slice of 2 cards on a"),
    "a host": (
        booking("m", cpu_milli=4000, ram_mib=1024), "priority 0 < 9; frees 4 cores CPU and 1 GiB RAM on a",
    ),
    "nothing that is counted": (booking("m"), "priority 0 < 9; frees its place on a"),
}  # fmt: skip


@pytest.mark.parametrize(("there", "wanted"), REASONS.values(), ids=REASONS)
def test_a_reason_in_numbers(there, wanted):
    assert victims_of(tuple(units_of([there])), 9) == (Victim(there, wanted),)


TOGETHER = {
    "a gang": (
        [booking("m", whole(0), gang="g"), booking("n", whole(0), on="b", gang="g", priority=2)],
        ["priority 2 < 9; frees 1 card on a; removed together with all 2 bookings of gang g",
         "priority 2 < 9; frees 1 card on b; removed together with all 2 bookings of gang g"],
    ),
    "a replica over two workers": (
        [booking("m", whole(0)), booking("m", whole(0), on="b")],
        ["priority 0 < 9; frees 1 card on a; removed together with all 2 bookings of replica m#0",
         "priority 0 < 9; frees 1 card on b; removed together with all 2 bookings of replica m#0"],
    ),
    "two replicas": (
        [booking("m", whole(0)), booking("m", whole(1), replica=1)],
        ["priority 0 < 9; frees 1 card on a", "priority 0 < 9; frees 1 card on a"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("bookings", "reasons"), TOGETHER.values(), ids=TOGETHER)
def test_what_falls_together_says_so(bookings, reasons):
    found = victims_of(tuple(units_of(bookings)), 9)

    assert [victim.booking for victim in found] == bookings
    assert [victim.reason for victim in found] == reasons


def test_no_units_no_victims():
    assert victims_of((), 9) == ()


@pytest.mark.parametrize(("leave", "below"), [(NEVER, None), (LOWER, 4)])
def test_a_workload_without_roles(leave, below):
    assert may_preempt_below(sized(CARD, priority=4, preemption=leave).workload) == below


LEAVE = {
    "none": ([("x", 1, CARD, 3, NEVER)], None, ["x"]),
    "one of two": ([("x", 1, CARD, 3, NEVER), ("y", 1, CARD, 5, LOWER)], 5, ["x"]),
    "the lowest of those who may": ([("x", 1, CARD, 3, LOWER), ("y", 1, CARD, 5, LOWER)], 3, []),
    "the workload's own priority": ([("x", 1, CARD, None, LOWER)], 7, []),
}


@pytest.mark.parametrize(("described", "below", "timid"), LEAVE.values(), ids=LEAVE)
def test_roles_with_leave_of_their_own(described, below, timid):
    workload = roles(*described, priority=7).workload

    assert (may_preempt_below(workload), timid_roles(workload)) == (below, timid)


def test_a_role_that_says_nothing_does_as_its_workload():
    described = ("x", 1, CARD, None, None)

    assert may_preempt_below(roles(described, priority=7, preemption=Preemption.LOWER_PRIORITY).workload) == 7
    assert timid_roles(roles(described, preemption=Preemption.NEVER).workload) == ["x"]
