"""Plans are committed whole, on workers that did not change since."""

from dataclasses import replace

import pytest

from bayplan.cluster.capacity import CapacityError
from bayplan.cluster.entries import Entries
from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import Preemption
from bayplan.framework.errors import ConflictError
from bayplan.placement.planning.plan import Verdict
from fleets import booking, whole
from unit.placement.builders import need, planner, role, sized, worker
from unit.placement.planning.planned import CARD, FITS, FOUR, TWO, server, theirs


def _unread(entries):
    raise AssertionError("all bookings are looked through")


AMONG_OTHERS = {
    "a card": sized(CARD),
    "a model": sized(role(need(30), gpus={})),
    "beside nobody of them": sized(role(gpus={"count": 1}, anti_affinity=("theirs",))),
    "a gang": sized(CARD, replicas=2, gang=Gang()),
    "replicas that are there already": sized(CARD, name="theirs", replicas=2),
}


@pytest.mark.parametrize("asked", AMONG_OTHERS.values(), ids=AMONG_OTHERS)
def test_a_plan_does_not_look_through_the_bookings_of_others(asked, monkeypatch):
    """Bookings are found by an index, which is made once and then kept."""
    plans = planner(FOUR, server("b", 80, 80), bookings=[theirs(0)])
    monkeypatch.setattr(Entries, "__iter__", _unread)
    made = plans.plan(asked)
    plans.commit(made)

    assert made.verdict is FITS


def test_a_plan_on_workers_that_changed_since_is_a_lost_race():
    plans = planner(TWO, server("b", 80))
    first, second, elsewhere = (plans.plan(sized(CARD, name=name)) for name in ("first", "second", "third"))
    assert first.bookings[0].worker == second.bookings[0].worker
    plans.commit(first)
    before = plans.state.bookings

    with pytest.raises(ConflictError, match="is at version"):
        plans.commit(second)
    assert plans.state.bookings == before
    plans.commit(plans.plan(elsewhere.sized))
    assert len(plans.state.bookings) == 2


def test_a_plan_is_committed_though_other_workers_changed():
    plans = planner(server("a", 80), server("b", 40))
    small = plans.plan(sized(role(gpus={"memory_mib": 30}), name="small"))
    large = plans.plan(sized(role(gpus={"memory_mib": 70}), name="large"))
    plans.commit(large)
    plans.commit(small)

    assert {each.worker for each in plans.state.bookings} == {"a", "b"}


def test_no_card_is_held_twice():
    """A plan whose revision is left out is still refused by the ledger."""
    plans = planner(TWO)
    first, second = (plans.plan(sized(CARD, name=name)) for name in ("first", "second"))
    plans.commit(first)

    with pytest.raises(CapacityError, match="card cuda:0: needs 1 whole cards, 0"):
        plans.commit(replace(second, revision=None))
    with pytest.raises(ConflictError, match="first#0: is bound already"):
        plans.commit(replace(first, revision=None))
    assert plans.state.bookings == first.bookings


def test_victims_fall_and_the_plan_is_booked_in_one_change():
    """If the plan cannot be booked, nobody falls."""
    plans = planner(TWO, bookings=[booking("low", whole(0), whole(1), priority=-5)])
    made = plans.plan(sized(CARD, name="high", priority=5, preemption=Preemption.LOWER_PRIORITY))
    assert [each.booking.workload for each in made.victims] == ["low"]
    plans.commit(plans.plan(sized(role(), name="other")))
    before = plans.state.bookings

    with pytest.raises(ConflictError):
        plans.commit(made)
    assert plans.state.bookings == before
    plans.commit(plans.plan(made.sized))
    assert sorted(each.workload for each in plans.state.bookings) == ["high", "other"]


def test_a_gang_whose_first_member_was_booked_without_its_gang():
    ready = planner(worker("a", cards=1), worker("b", cards=1), bookings=[booking("mine", whole(0), on="b")])
    plan = ready.plan(sized(CARD, replicas=2, gang=Gang()))
    ready.commit(plan)

    assert plan.verdict is Verdict.FITS
    assert [each.worker for each in ready.state.bookings] == ["b", "a"]
