"""Who must go for a workload, or why it does not help that anybody goes."""

import pytest

from bayplan.cluster.booking import Budget
from bayplan.cluster.gang import Gang
from bayplan.placement.gangs import attempt
from bayplan.placement.gangs.attempt import fits
from bayplan.placement.preemption.least_harm import find_victims, others
from bayplan.placement.preemption.units import bookings_of
from fleets import booking, whole
from unit.placement.builders import gpu, planned_cluster, role, sized, worker

ONE, TWO, FOUR = (role(gpus={"count": count}) for count in (1, 2, 4))


def held(name, *cards, on="a", **others):
    return booking(name, *map(whole, cards), on=on, **others)


def planned(*bookings, budgets=(), cards=4):
    return planned_cluster(worker(cards=cards), bookings=bookings, budgets=budgets)


FOUND = {
    "the lowest priority first": (TWO, [held("m", 0, 1, priority=2), held("n", 2, 3, priority=1)], ["n"]),
    "then fewer bookings": (TWO, [held("m", 0), held("n", 1), held("x", 2, 3)], ["x"]),
    "then fewer cards": (ONE, [held("m", 0, 1, 2), held("x", 3)], ["x"]),
    "in the order of their harm": (
        FOUR, [held("m", 0, priority=3), held("n", 1, 2), held("x", 3, priority=1)], ["n", "x", "m"]),
    "never one of its own": (ONE, [held("mine", 0, replica=7), held("n", 1, 2, 3, priority=8)], ["n"]),
}  # fmt: skip


@pytest.mark.parametrize(("what", "bookings", "wanted"), FOUND.values(), ids=FOUND)
def test_found(what, bookings, wanted):
    on, asked = planned(*bookings), sized(what, replicas=1 + (bookings[0].workload == "mine"))
    found = find_victims(on, asked, 9)

    assert [unit.owner.name for unit in found.units] == wanted
    assert (found.proven, found.reason) == (True, "")
    assert fits(on.without(bookings_of(found.units)), asked)


IN_VAIN = {
    "nobody is lower": (ONE, [held("m", 0, 1, 2, 3, priority=9)], (), "no booking has a priority below 9"),
    "not even without all": (
        role(gpus={"count": 4}), [held("m", 0), held("n", 1, priority=1), held("high", 2, priority=9)], (),
        "it does not fit even without the 2 bookings of a priority below 9"),
    "budgets": (
        FOUR, [held("m", 0), held("m", 1, replica=1)], [Budget("m", 1)],
        "budgets protect the bookings in the way: m must keep 1 of 2"),
    "budgets of others": (
        TWO, [held("m", 0), held("n", 1), held("high", 2, 3, priority=9)],
        [Budget("absent", 1), Budget("high", 1), Budget("m", 1), Budget("n", 0)],
        "budgets protect the bookings in the way: m must keep 1 of 1"),
}  # fmt: skip


@pytest.mark.parametrize(("what", "bookings", "budgets", "reason"), IN_VAIN.values(), ids=IN_VAIN)
def test_in_vain(what, bookings, budgets, reason):
    found = find_victims(planned(*bookings, budgets=budgets), sized(what), 9)

    assert (found.units, found.reason) == ((), reason)


def test_others_are_not_those_who_would_fall_with_it():
    on = planned(held("mine", 0, gang="g"), held("mate", 1, gang="g"), held("m", 2))

    assert [unit.owner.name for unit in others(on, sized(ONE, replicas=2))] == ["m"]


def test_fits_asks_for_all_replicas():
    on = planned(held("m", 0, 1), held("n", 2, 3))
    units = {unit.owner.name: unit for unit in others(on, sized(TWO))}

    without = on.without(units["m"].bookings)
    assert fits(without, sized(TWO))
    assert not fits(without, sized(TWO, replicas=2))
    assert fits(on.without(bookings_of(units.values())), sized(TWO, replicas=2))


PUZZLE = [("a", 1, 8), ("b", 2, 7), ("c", 3, 6)]
"""On two cards of 20 they fit only as 8 + 6 + 6 and 7 + 7 + 6."""


def puzzle():
    cards = [gpu(number, memory_mib=20) for number in range(2)]
    asked = sized(*((name, number, role(gpus={"memory_mib": mib})) for name, number, mib in PUZZLE), gang=Gang())
    return planned_cluster(worker("a", gpus=cards), bookings=[held("m", 0)]), asked


@pytest.mark.usefixtures("no_headroom")
def test_attempts_that_are_cut_short_are_made_again_or_prove_nothing(monkeypatch):
    on, asked = puzzle()
    found = find_victims(on, asked, 9)
    assert ([unit.owner.name for unit in found.units], found.proven) == (["m"], True)

    monkeypatch.setattr(attempt, "FEW_STEPS", 1)
    assert [unit.owner.name for unit in find_victims(on, asked, 9).units] == ["m"]

    monkeypatch.setattr(attempt, "MOST_REPEATED", 0)
    overlooked = find_victims(on, asked, 9)
    assert (overlooked.units, overlooked.proven) == ((), False)
    assert overlooked.reason == "no place was found even without the 1 booking of a priority below 9"
