"""Attempts: an arrangement of at least the minimum or nothing, and what is in doubt where steps were too few."""

import pytest

from bayplan.cluster.gang import Gang
from bayplan.placement.gangs import attempt as module
from bayplan.placement.gangs.attempt import MOST_REPEATED, Doubt, attempt, fits, gang_planner
from bayplan.placement.gangs.worker_capacity import Steps
from fleets import booking, whole
from unit.placement.builders import gpu, planned_cluster, planner, role, sized, worker
from unit.placement.gangs.racks import CARD, by_worker

TWO = worker("a", cards=2)


def mine(replica, card, **others):
    return booking("mine", whole(card), replica=replica, **others)


NUMBERS = {
    "nothing is there": (sized(CARD, replicas=3), (), (3, 1)),
    "some are there": (sized(CARD, replicas=3), [mine(0, 0)], (2, 1)),
    "a gang of all": (sized(CARD, replicas=3, gang=Gang()), (), (3, 3)),
    "some of a gang are there": (sized(CARD, replicas=3, gang=Gang(2)), [mine(0, 0)], (2, 1)),
    "the minimum of a gang is there": (sized(CARD, replicas=3, gang=Gang(1)), [mine(0, 0)], (2, 1)),
    "all are there": (sized(CARD), [mine(0, 0)], (0, 0)),
    "more are there than wanted": (sized(CARD, replicas=0), [mine(0, 0)], (0, 0)),
    "a namesake of another namespace": (sized(CARD), [mine(0, 0, namespace="x")], (1, 1)),
    "another workload": (sized(CARD), [booking("other", whole(0))], (1, 1)),
}


@pytest.mark.parametrize(("asked", "bookings", "wanted"), NUMBERS.values(), ids=NUMBERS)
def test_how_many_are_missing(asked, bookings, wanted):
    gang = gang_planner(planned_cluster(TWO, bookings=bookings), asked, reasons=False, steps=Steps())

    assert (gang.desired, gang.minimum) == wanted


FOUND = {
    "one": (sized(CARD), 1, True),
    "as many as fit": (sized(CARD, replicas=3), 2, False),
    "a gang": (sized(CARD, replicas=2, gang=Gang()), 2, True),
    "the minimum of a gang": (sized(CARD, replicas=3, gang=Gang(2)), 2, False),
    "less than the minimum": (sized(CARD, replicas=3, gang=Gang()), None, False),
    "nowhere": (sized(role(gpus={"count": 3})), None, False),
    "nobody is missing": (sized(CARD, replicas=0), None, False),
}


@pytest.mark.parametrize(("asked", "placed", "whole_fits"), FOUND.values(), ids=FOUND)
def test_the_minimum_or_nothing(asked, placed, whole_fits):
    state = planned_cluster(TWO)
    found = attempt(state, asked)

    assert (None if found is None else len(found.placed)) == placed
    assert fits(state, asked) is whole_fits
    assert not state.written


def test_an_attempt_goes_where_the_plan_goes():
    workers = [worker("a", cards=2), worker("b", cards=1)]
    asked = sized(CARD, replicas=2)

    assert by_worker(attempt(planned_cluster(*workers), asked).placed) == by_worker(
        planner(*workers).plan(asked).replicas
    )


def puzzle():
    """On two cards of 20 they fit only as 8 + 6 + 6 and 7 + 7 + 6."""
    roles = [("x", 1, 8), ("y", 2, 7), ("z", 3, 6)]
    asked = sized(*((name, number, role(gpus={"memory_mib": mib})) for name, number, mib in roles), gang=Gang())
    return planned_cluster(worker("a", cards=[gpu(number, memory_mib=20) for number in range(2)])), asked


@pytest.mark.usefixtures("no_headroom")
def test_an_attempt_that_was_cut_short_is_made_once_more_where_doubt_hears_of_it(monkeypatch):
    monkeypatch.setattr(module, "FEW_STEPS", 1)
    doubt = Doubt()

    assert not fits(*puzzle())
    assert fits(*puzzle(), doubt)
    assert (doubt.repeated, doubt.cut_short) == (1, False)


@pytest.mark.usefixtures("no_headroom")
def test_an_attempt_that_may_not_be_repeated_leaves_doubt(monkeypatch):
    monkeypatch.setattr(module, "FEW_STEPS", 1)
    doubt = Doubt(repeated=MOST_REPEATED)

    assert not fits(*puzzle(), doubt)
    assert doubt.cut_short


def test_what_surely_does_not_fit_leaves_no_doubt():
    doubt = Doubt()

    assert not fits(planned_cluster(TWO), sized(CARD, replicas=3, gang=Gang()), doubt)
    assert (doubt.repeated, doubt.cut_short) == (0, False)


def test_only_some_attempts_are_repeated():
    doubt = Doubt()

    assert [doubt.may_repeat() for _ in range(MOST_REPEATED + 1)] == [True] * MOST_REPEATED + [False]
