"""Who falls together, what that costs, and what budgets keep."""

import pytest

from bayplan.cluster.booking import Budget, CardBooking
from bayplan.cluster.mig import MigInstance
from bayplan.placement.preemption.units import Budgets, bookings_of, cards_of, cost_of, units_of
from fleets import booking, instance, whole


def names(units):
    return [sorted(f"{each.workload}/{each.replica}@{each.worker}" for each in unit.bookings) for unit in units]


TOGETHER = {
    "replicas are apart": ([booking("m"), booking("m", replica=1)], [["m/0@a"], ["m/1@a"]]),
    "a replica over two workers": ([booking("m"), booking("m", on="b")], [["m/0@a", "m/0@b"]]),
    "a gang of two workloads": ([booking("m", gang="g"), booking("n", gang="g")], [["m/0@a", "n/0@a"]]),
    "two gangs": ([booking("m", gang="g"), booking("n", gang="h")], [["m/0@a"], ["n/0@a"]]),
    "gangs of one name in two namespaces": (
        [booking("m", gang="g"), booking("n", gang="g", namespace="x")], [["m/0@a"], ["n/0@a"]],
    ),
    "one name in two namespaces": ([booking("m"), booking("m", on="b", namespace="x")], [["m/0@a"], ["m/0@b"]]),
    "a workload called like a gang is not in it": ([booking("g"), booking("n", gang="g")], [["g/0@a"], ["n/0@a"]]),
    "a replica in two gangs joins them": (
        [booking("m", gang="g"), booking("m", on="b", gang="h"), booking("n", gang="h")],
        [["m/0@a", "m/0@b", "n/0@a"]],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("bookings", "wanted"), TOGETHER.values(), ids=TOGETHER)
def test_who_falls_together(bookings, wanted):
    found = sorted(names(units_of(bookings)), key=lambda each: (-len(each), each))

    assert found == wanted
    assert found == sorted(names(units_of(bookings[::-1])), key=lambda each: (-len(each), each))


def test_the_least_harm_first():
    bookings = [
        booking("z", whole(0), priority=1),
        booking("b", whole(0), whole(1), priority=1),
        booking("a", whole(0), whole(1), priority=1),
        booking("low", whole(0), whole(1), whole(2)),
        booking("pair", priority=1),
        booking("pair", on="b", priority=1),
    ]

    assert [unit.owner.name for unit in units_of(bookings)] == ["low", "z", "a", "b", "pair"]


def test_a_gang_has_its_highest_priority():
    (unit,) = units_of([booking("m", gang="g", priority=1), booking("n", gang="g", priority=7)])

    assert (unit.priority, str(unit)) == (7, "gang g (priority 7)")


def test_cards():
    loose = CardBooking(None, mig=MigInstance("1g.5gb", None))
    cut = booking("m", instance("1g.5gb", 0), instance("1g.5gb", 1), instance("1g.5gb", 0, index=1))

    assert [cards_of(each) for each in (booking("m"), booking("m", whole(3)), cut, booking("m", loose))] == [0, 1, 2, 1]


def test_cost_is_of_all_bookings():
    units = units_of([booking("m", whole(0), gang="g"), booking("n", whole(1), whole(2), gang="g"), booking("o")])

    assert cost_of(units) == (3, 3)
    assert len(bookings_of(units)) == 3


BUDGETS = {
    "nobody is protected": ([], [0, 1, 2], True),
    "one may go": ([Budget("m", 2)], [0], True),
    "two may not": ([Budget("m", 2)], [0, 1], False),
    "more is kept than there is": ([Budget("m", 9)], [0], False),
    "of nobody who is there": ([Budget("x", 1)], [0, 1, 2], True),
    "others may go": ([Budget("m", 3)], [3], True),
    "of another namespace": ([Budget("m", 3, "x")], [0, 1, 2], True),
}  # fmt: skip


@pytest.mark.parametrize(("budgets", "gone", "wanted"), BUDGETS.values(), ids=BUDGETS)
def test_budgets(budgets, gone, wanted):
    bookings = [*(booking("m", replica=number) for number in range(3)), booking("n", priority=1)]
    units = units_of(bookings)

    assert Budgets(budgets, bookings).allow([units[number] for number in gone]) is wanted


def test_a_replica_over_two_workers_is_one_for_a_budget():
    bookings = [booking("m"), booking("m", on="b"), booking("m", replica=1)]
    budgets = Budgets([Budget("m", 1)], bookings)
    units = units_of(bookings)

    assert [budgets.allow((unit,)) for unit in units] == [True, True]
    assert not budgets.allow(units)
    assert budgets.told(units) == "m must keep 1 of 2"


def test_a_budget_counts_the_replicas_of_its_own_namespace():
    here, there = booking("m", namespace="x"), [booking("m", replica=number) for number in range(3)]
    budgets = Budgets([Budget("m", 1, "x")], [here, *there])

    assert not budgets.allow(units_of([here]))
    assert budgets.told(units_of([here])) == "x/m must keep 1 of 1"


@pytest.mark.parametrize("namespace", ["a", "default", "z"])
def test_equals_keep_their_order_whatever_their_namespace(namespace):
    bookings = [booking("m", on="a"), booking("m", on="b", namespace=namespace)][:: -1 if namespace == "z" else 1]

    found = [each.worker for unit in units_of(bookings) for each in unit.bookings]

    assert found == [each.worker for each in bookings]
