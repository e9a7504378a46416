"""Plans with victims: who may be pushed aside for whom, in which words, and what is said where nobody helps."""

from dataclasses import replace

import pytest

from bayplan.cluster.booking import Budget, CardBooking
from bayplan.cluster.cluster import Cluster
from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import Preemption
from bayplan.placement.planning.plan import Verdict
from bayplan.placement.planning.planner import Planner
from bayplan.placement.preemption.victims import may_preempt_below, timid_roles
from fleets import booking, instance, share, whole
from unit.placement.builders import cards_of, planner, profiles, request, sized, worker

MAY = {"preemption": Preemption.LOWER_PRIORITY, "priority": 9}
CARD, TWO = sized(gpus={"count": 1}), sized(gpus={"count": 2})


def held(name, *cards, on="a", priority=1, **others):
    return booking(name, *map(whole, cards), on=on, priority=priority, **others)


def victims(plan):
    return sorted({victim.booking.workload for victim in plan.victims})


REASONS = {
    "cards": (held("m", 0, 1), "priority 1 < 9; frees 2 cards on a"),
    "a share": (booking("m", share(0, 2048), share(1, 2048)), "priority 0 < 9; frees 4 GiB of 2 cards on a"),
    "compute": (booking("m", share(0, None, 500), share(1)), "priority 0 < 9; frees a share of 2 cards on a"),
    "places": (
        booking("m", CardBooking(0, memory_mib=2048, compute_milli=500, places=2)),
        "priority 0 < 9; frees 2 places of 1 card on a",
    ),
    "slices": (booking("m", instance("1g.5gb", 0), whole(1)), "priority 0 < 9; frees 1 slice of 2 cards on a"),
}


@pytest.mark.parametrize(("there", "wanted"), REASONS.values(), ids=REASONS)
def test_a_reason_in_numbers(there, wanted):
    plan = planner(worker(cards=2), bookings=[there]).plan(request(TWO, **MAY))

    assert [victim.reason for victim in plan.victims] == [wanted]
    assert plan.verdict is Verdict.FITS


def test_a_host_is_freed():
    on = worker(cpu_milli=4000, ram_mib=2048)
    there = booking("m", cpu_milli=4000, ram_mib=1024)

    plan = planner(on, bookings=[there]).plan(request(sized(cpu_milli=4000), **MAY))

    assert [victim.reason for victim in plan.victims] == ["priority 0 < 9; frees 4 cores CPU and 1 GiB RAM on a"]


def test_a_gang_is_named():
    bookings = [held("m", 0, gang="g"), held("n", 0, on="b", gang="g")]

    plan = planner(worker("a", cards=1), worker("b", cards=1), bookings=bookings).plan(request(CARD, **MAY))

    assert victims(plan) == ["m", "n"]
    assert plan.victims[0].reason == "priority 1 < 9; frees 1 card on a; removed together with all 2 bookings of gang g"


def test_a_replica_over_two_workers_falls_whole():
    bookings = [held("m", 0), held("m", 0, on="b")]

    plan = planner(worker("a", cards=1), worker("b", cards=1), bookings=bookings).plan(request(CARD, **MAY))

    assert len(plan.victims) == 2
    assert plan.victims[0].reason.endswith("removed together with all 2 bookings of replica m#0")


VAIN = {
    "nobody is lower": ([held("m", 0, 1, priority=9)], (), "preemption: no booking has a priority below 9"),
    "all together are not enough": (
        [held("m", 0), held("n", 1, priority=9)], (),
        "preemption: it does not fit even without the 1 booking of a priority below 9",
    ),
    "a budget": (
        [held("m", 0, 1)], [Budget("m", 1)], "preemption: budgets protect the bookings in the way: m must keep 1 of 1",
    ),
    "its own replicas": (
        [held("mine", 0, 1)], (), "preemption: no booking has a priority below 9",
    ),
    "a gang that holds one above": (
        [held("m", 0, gang="g"), held("n", 1, gang="g", priority=20)], (),
        "preemption: no booking has a priority below 9",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("bookings", "budgets", "warning"), VAIN.values(), ids=VAIN)
def test_nobody_helps_and_the_plan_says_why(bookings, budgets, warning):
    on = Planner(Cluster((worker(cards=2),), tuple(bookings), tuple(budgets)), profiles())

    plan = on.plan(request(TWO, replicas=2 if bookings[0].workload == "mine" else 1, **MAY))

    assert (plan.verdict, plan.victims, plan.warnings) == (Verdict.WAITING, (), (warning,))


def test_what_never_fits_needs_no_word_about_victims():
    plan = planner(worker(cards=1), bookings=[held("m", 0)]).plan(request(TWO, **MAY))

    assert (plan.verdict, plan.warnings) == (Verdict.INFEASIBLE, ())


def test_who_may_not_preempt_waits():
    on = planner(worker(cards=2), bookings=[held("m", 0, 1)])

    assert on.plan(request(TWO, priority=9)).verdict is Verdict.WAITING
    assert on.plan(request(TWO, **MAY), preempting=False).victims == ()


def test_a_partly_plan_becomes_whole_or_stays():
    on = planner(worker(cards=2), bookings=[held("m", 0)])

    whole_plan, partly = on.plan(request(CARD, replicas=2, **MAY)), on.plan(request(CARD, replicas=3, **MAY))

    assert (whole_plan.verdict, victims(whole_plan)) == (Verdict.FITS, ["m"])
    assert (partly.verdict, victims(partly), len(partly.replicas)) == (Verdict.PARTLY, [], 1)


def test_what_victims_leave_is_there_for_the_next():
    on = planner(
        worker("a", cards=1),
        worker("b", cards=1),
        bookings=[held("m", 0, gang="g"), held("m", 0, on="b", gang="g", replica=1)],
    )

    on.commit(on.plan(request(CARD, **MAY)))
    after = on.plan(request(CARD, name="next"))

    assert after.verdict is Verdict.FITS
    assert {each.workload for each in on.state.bookings} == {"mine"}


def test_nothing_is_written_before_the_commit():
    on = planner(worker(cards=2), bookings=[held("m", 0, 1)])

    on.plan(request(TWO, **MAY))

    assert [each.workload for each in on.state.bookings] == ["m"]
    assert not on.state.written
    assert on.plan(request(TWO, priority=9)).verdict is Verdict.WAITING


def roles(*members, priority=0, **others):
    """Roles as (name, replicas, shape, priority, leave)."""
    made = request(*(each[:3] for each in members), priority=priority, **others)
    named = zip(made.workload.roles, members, strict=True)
    changed = tuple(replace(role, priority=each[3], preemption=each[4]) for role, each in named)
    return replace(made, workload=replace(made.workload, roles=changed))


NEVER, LOWER = Preemption
LEAVE = {
    "none": ([("x", 1, CARD, 3, NEVER)], None, ["x"]),
    "one of two": ([("x", 1, CARD, 3, NEVER), ("y", 1, CARD, 5, LOWER)], 5, ["x"]),
    "the lowest of those who may": ([("x", 1, CARD, 3, LOWER), ("y", 1, CARD, 5, LOWER)], 3, []),
    "the workload's own": ([("x", 1, CARD, None, LOWER)], 7, []),
}


@pytest.mark.parametrize(("members", "below", "timid"), LEAVE.values(), ids=LEAVE)
def test_roles_with_leave_of_their_own(members, below, timid):
    workload = roles(*members, priority=7).workload

    assert (may_preempt_below(workload), timid_roles(workload)) == (below, timid)


def test_a_role_without_leave_must_find_room_as_it_is():
    asked = roles(("bold", 1, CARD, 9, LOWER), ("timid", 1, CARD, 9, NEVER), gang=Gang())

    full = planner(worker(cards=2), bookings=[held("m", 0), held("n", 1)]).plan(asked)
    half = planner(worker(cards=2), bookings=[held("m", 0)]).plan(asked)

    assert full.warnings == ("preemption: timid may not preempt, so it needs free room",)
    assert (half.verdict, victims(half)) == (Verdict.FITS, ["m"])


def test_a_gang_pushes_aside_where_that_costs_least():
    bookings = [
        held("big", 0, 1, 2, 3, priority=5),
        held("x", 0, 1, on="b"),
        held("y", 2, 3, on="b"),
        held("z", 0, on="c"),
    ]
    on = planner(*(worker(name, cards=4) for name in "abc"), bookings=bookings)

    plan = on.plan(request(sized(gpus={"count": 4}), replicas=2, gang=Gang(), **MAY))

    assert victims(plan) == ["x", "y", "z"]
    assert {place for replica in plan.replicas for place in cards_of(replica)} == {"b", "c"}
