"""Plans with victims: who may be pushed aside for whom, and what is said where nobody helps."""

import pytest

from bayplan.cluster.booking import Budget
from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import Preemption
from bayplan.placement.planning.plan import Verdict
from fleets import booking, whole
from unit.placement.builders import cards_of, planner, role, sized, worker
from unit.placement.preemption.leave import LOWER, NEVER, roles

MAY = {"preemption": Preemption.LOWER_PRIORITY, "priority": 9}
CARD, TWO = role(gpus={"count": 1}), role(gpus={"count": 2})


def held(name, *cards, on="a", priority=1, **others):
    return booking(name, *map(whole, cards), on=on, priority=priority, **others)


def victims(plan):
    return sorted({victim.booking.workload for victim in plan.victims})


def test_all_that_falls_together_is_named_with_its_reason():
    bookings = [held("m", 0, gang="g"), held("n", 0, on="b", gang="g")]

    plan = planner(worker("a", cards=1), worker("b", cards=1), bookings=bookings).plan(sized(CARD, **MAY))

    assert (plan.verdict, victims(plan), len(plan.replicas)) == (Verdict.FITS, ["m", "n"], 1)
    assert plan.victims[0].reason == "priority 1 < 9; frees 1 card on a; removed together with all 2 bookings of gang g"


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
    on = planner(worker(cards=2), bookings=bookings, budgets=budgets)

    plan = on.plan(sized(TWO, replicas=2 if bookings[0].workload == "mine" else 1, **MAY))

    assert (plan.verdict, plan.victims, plan.warnings) == (Verdict.WAITING, (), (warning,))


def test_what_never_fits_needs_no_word_about_victims():
    plan = planner(worker(cards=1), bookings=[held("m", 0)]).plan(sized(TWO, **MAY))

    assert (plan.verdict, plan.warnings) == (Verdict.INFEASIBLE, ())


def test_who_may_not_preempt_waits():
    on = planner(worker(cards=2), bookings=[held("m", 0, 1)])

    assert on.plan(sized(TWO, priority=9)).verdict is Verdict.WAITING
    assert on.plan(sized(TWO, **MAY), preempting=False).victims == ()


def test_a_partly_plan_becomes_whole_or_stays():
    on = planner(worker(cards=2), bookings=[held("m", 0)])

    whole_plan, partly = on.plan(sized(CARD, replicas=2, **MAY)), on.plan(sized(CARD, replicas=3, **MAY))

    assert (whole_plan.verdict, victims(whole_plan)) == (Verdict.FITS, ["m"])
    assert (partly.verdict, victims(partly), len(partly.replicas)) == (Verdict.PARTLY, [], 1)


def test_what_victims_leave_is_there_for_the_next():
    on = planner(
        worker("a", cards=1),
        worker("b", cards=1),
        bookings=[held("m", 0, gang="g"), held("m", 0, on="b", gang="g", replica=1)],
    )

    on.commit(on.plan(sized(CARD, **MAY)))
    after = on.plan(sized(CARD, name="next"))

    assert after.verdict is Verdict.FITS
    assert {each.workload for each in on.state.bookings} == {"mine"}


def test_nothing_is_written_before_the_commit():
    on = planner(worker(cards=2), bookings=[held("m", 0, 1)])

    on.plan(sized(TWO, **MAY))

    assert [each.workload for each in on.state.bookings] == ["m"]
    assert not on.state.written
    assert on.plan(sized(TWO, priority=9)).verdict is Verdict.WAITING


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

    plan = on.plan(sized(role(gpus={"count": 4}), replicas=2, gang=Gang(), **MAY))

    assert victims(plan) == ["x", "y", "z"]
    assert {place for replica in plan.replicas for place in cards_of(replica)} == {"b", "c"}
