"""Several members, or one over several workers: the smallest set where it can be proven, a small one where not."""

import pytest

from bayplan.cluster.booking import Budget
from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import Locality
from bayplan.placement.gangs.attempt import fits
from bayplan.placement.preemption.least_harm import find_victims
from bayplan.placement.preemption.units import bookings_of
from fleets import booking, whole
from unit.placement.builders import planned_cluster, role, sized, worker

ONE, TWO, FOUR = (role(gpus={"count": count}) for count in (1, 2, 4))
SPANNING = role(gpus={"count": 4, "locality": Locality.ANY})


def held(name, *cards, on="a", **others):
    return booking(name, *map(whole, cards), on=on, **others)


def found(asked, workers, bookings, budgets=(), **others):
    on = planned_cluster(*workers, bookings=bookings, budgets=budgets)
    return on, find_victims(on, asked, 9, **others)


def names(answer):
    return sorted(unit.owner.name for unit in answer.units)


def fits_without(on, asked, units):
    return fits(on.without(bookings_of(units)), asked)


def high(on):
    """Somebody who stays."""
    return held(f"high-{on}", 2, 3, on=on, priority=20)


A, B, C = (worker(name, cards=4) for name in "abc")
SETS = {
    "one that makes room for both": (
        sized(TWO, replicas=2, gang=Gang()), [A, B, C],
        [held("big", 0, 1, 2, 3), *(held(f"x{on}", 0, 1, on=on) for on in "bc"), *map(high, "bc")], (), ["big"],
    ),
    "a part of each worker": (
        sized(TWO, replicas=2), [A, B],
        [held("m", 0, 1), held("x", 0, 1, on="b"), *map(high, "ab")], (), ["m", "x"],
    ),
    "roles": (
        sized(("head", 1, ONE), ("body", 1, FOUR)), [A, worker("s", cards=1)],
        [held("m", 0), held("n", 0, on="s")], (), ["m", "n"],
    ),
    "one over several workers": (
        sized(SPANNING), [worker("u", cards=2), worker("v", cards=2), worker("w", cards=2)],
        [held("m", 0, on="u"), held("n", 1, on="u", priority=5), held("x", 0, on="v"), held("y", 0, 1, on="w")], (),
        ["x", "y"],
    ),
    "budgets": (
        sized(FOUR, replicas=2), [A, B, C],
        [held("m", 0, on="a"), held("m", 0, on="b", replica=1), held("n", 0, 1, on="c")], [Budget("m", 1)], ["m", "n"],
    ),
    "what is free first": (sized(ONE, replicas=2), [A], [held("m", 0), held("n", 1, 2)], (), ["m"]),
    "none": (sized(FOUR, replicas=3), [A, B], [held("m", 0)], (), []),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "workers", "bookings", "budgets", "wanted"), SETS.values(), ids=SETS)
def test_the_smallest_set(asked, workers, bookings, budgets, wanted):
    on, answer = found(asked, workers, bookings, budgets)

    assert names(answer) == wanted
    assert answer.proven
    assert not wanted or fits_without(on, asked, answer.units)
    for unit in answer.units:
        assert not fits_without(on, asked, [each for each in answer.units if each is not unit])


def test_where_nothing_is_proven_each_is_needed_all_the_same():
    bookings = [held(f"m{name}{card}", card, on=name) for name in "abc" for card in range(4)]
    asked = sized(FOUR, replicas=2, gang=Gang())

    on, answer = found(asked, [A, B, C], bookings, most_plans=3)

    assert not answer.proven
    assert len(answer.units) == 8
    for unit in answer.units:
        assert not fits_without(on, asked, [each for each in answer.units if each is not unit])
