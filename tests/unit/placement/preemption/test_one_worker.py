"""One replica on one worker: the smallest set of its holders, and what is done where there are too many sets."""

import pytest

from bayplan.cluster.booking import Budget
from bayplan.cluster.gpu import GpuId
from bayplan.cluster.workload import CostLimit
from bayplan.placement.preemption import one_worker
from bayplan.placement.preemption.candidate_victims import CandidateVictims
from bayplan.placement.preemption.hypothetical import HypotheticalRows
from bayplan.placement.preemption.one_worker import least, lowest_bar
from bayplan.placement.preemption.units import Budgets, units_of
from fleets import booking, share, whole
from unit.placement.builders import planned_cluster, role, sized, worker

FOUR = role(gpus={"count": 4})


def judge(what, *workers, bookings=(), budgets=()):
    on = planned_cluster(*workers, bookings=bookings)
    asked = sized(what, priority=9)
    field = CandidateVictims(on.snapshot, units_of(on.bookings), Budgets(budgets, on.bookings))
    return HypotheticalRows(on, asked, asked.roles[0], field)


def names(choice):
    return choice and sorted(f"{unit.owner.name}/{unit.owner.replica}" for unit in choice.units)


def single(*cards, on="a", name="m"):
    """A booking for each card."""
    return [booking(name, whole(card), on=on, replica=card) for card in cards]


SETS = {
    "nobody": (role(gpus={"count": 1}), [worker(cards=2)], single(0), None),
    "not even all": (FOUR, [worker(cards=2)], single(0, 1), None),
    "all who are in the way": (FOUR, [worker(cards=4)], single(0, 2), ["m/0", "m/2"]),
    "any two": (role(gpus={"count": 2}), [worker(cards=4)], single(0, 1, 2, 3), ["m/0", "m/1"]),
    "one large rather than two small": (
        role(gpus={"count": 2}), [worker(cards=4)], [*single(0, 1), booking("n", whole(2), whole(3))], ["n/0"],
    ),
    "fewer cards": (
        role(gpus={"count": 1}), [worker(cards=3)], [booking("m", whole(0), whole(1)), *single(2, name="n")], ["n/2"],
    ),
    "the worker with fewer": (
        FOUR, [worker("a", cards=4), worker("b", cards=4)],
        [*single(0, 1, 2, 3), *single(0, 1, on="b", name="n")], ["n/0", "n/1"],
    ),
    "the whole gang counts": (
        role(gpus={"count": 2}), [worker("a", cards=2), worker("b", cards=1), worker("c", cards=2)],
        [booking("g", whole(0), gang="g"), booking("g", whole(0), gang="g", on="b", replica=1),
         booking("g", whole(0), gang="g", on="b", replica=2), *single(0, 1, on="c")], ["m/0", "m/1"],
    ),
    "shares of one card": (
        role(gpus={"count": 1, "memory_mib": 20_000}), [worker(cards=1)],
        [booking("m", share(0, 9_000)), booking("n", share(0, 12_000)), booking("o", share(0, 9_000))], ["n/0"],
    ),
    "RAM": (role(ram_mib=60), [worker(ram_mib=100)], [booking("m", ram_mib=30), booking("n", ram_mib=50)], ["n/0"]),
    "beside whom it must not stand": (
        role(gpus={"count": 1}, anti_affinity=("m",)), [worker(cards=4)],
        [*single(0, 1), booking("n", whole(2), whole(3))], ["m/0", "m/1"],
    ),
    "what it cannot pay is closed": (
        role(gpus={"count": 1}, cost=CostLimit(max_usd_per_hour=2.0)),
        [worker("a", cards=1, usd_per_hour=3.0), worker("b", cards=1, usd_per_hour=2.0)],
        [*single(0), *single(0, on="b", name="z")], ["z/0"],
    ),
    "spot workers beyond its share are closed": (
        role(gpus={"count": 1}, cost=CostLimit(max_spot_percent=99.0)),
        [worker("a", cards=1, spot=True), worker("b", cards=1)], [*single(0), *single(0, on="b", name="z")], ["z/0"],
    ),
    "spot workers of its share": (
        role(gpus={"count": 1}, cost=CostLimit(max_spot_percent=100.0)),
        [worker("a", cards=1, spot=True), worker("b", cards=1)], [*single(0), *single(0, on="b", name="z")], ["m/0"],
    ),
    "the cards that it names": (
        role(gpus={"count": 1}, gpu_ids=(GpuId("b", "cuda", 0),)),
        [worker("a", cards=1), worker("b", cards=1)], [*single(0), *single(0, on="b", name="z")], ["z/0"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("what", "workers", "bookings", "wanted"), SETS.values(), ids=SETS)
def test_the_smallest_set(what, workers, bookings, wanted):
    choice = least(judge(what, *workers, bookings=bookings))

    assert names(choice) == wanted
    assert choice is None or choice.proven


SPENT = {name: each for name, each in SETS.items() if each[3]}


@pytest.mark.parametrize(("what", "workers", "bookings", "wanted"), SPENT.values(), ids=SPENT)
def test_beyond_the_bound_everybody_is_needed_but_nothing_is_proven(what, workers, bookings, wanted, monkeypatch):
    monkeypatch.setattr(one_worker, "MOST_CASES", 0)
    asked = judge(what, *workers, bookings=bookings)

    choice = least(asked)

    assert not choice.proven
    numbers = [asked.field.units.index(unit) for unit in choice.units]
    rows = {asked.field.claims.rows[number] for number in range(len(bookings)) if bookings[number].worker != "gone"}
    fits = [row for row in rows if set(numbers) <= set(asked.field.at(row, 99))]
    assert fits
    for number in numbers:
        smaller = [each for each in numbers if each != number]
        forced = set(asked.forced.get(fits[0], ()))
        assert not forced <= set(smaller) or asked.enough([(fits[0], smaller)]) == [False]


def test_a_budget_makes_another_go():
    bookings = [*single(0, 1), booking("n", whole(2), priority=3)]
    asked = judge(role(gpus={"count": 2}), worker(cards=3), bookings=bookings, budgets=[Budget("m", 1)])

    assert lowest_bar(asked) == 0
    assert names(least(asked)) == ["m/0", "n/0"]


def test_workers_that_look_alike_are_asked_about_once():
    fleet = [worker(f"w{number}", cards=8) for number in range(40)]
    bookings = [each for one in fleet for each in single(*range(8), on=one.name, name=one.name)]
    asked = judge(FOUR, *fleet, bookings=bookings)

    choice = least(asked)

    assert choice.proven
    assert names(choice) == ["w0/0", "w0/1", "w0/2", "w0/3"]


def test_who_stands_first_in_the_file_does_not_matter():
    bookings = single(0, 1, 2, 3)

    found = [names(least(judge(FOUR, worker(cards=6), bookings=each))) for each in (bookings, bookings[::-1])]

    assert found[0] == found[1] == ["m/0", "m/1"]
