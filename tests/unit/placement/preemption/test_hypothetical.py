"""Rows without some of their holders, asked of the real filters."""

import pytest

from bayplan.cluster.gpu import GpuId
from bayplan.cluster.workload import CostLimit, Locality
from bayplan.placement.gangs.attempt import attempt
from bayplan.placement.preemption.candidate_victims import CandidateVictims
from bayplan.placement.preemption.hypothetical import HypotheticalRows
from bayplan.placement.preemption.units import Budgets, units_of
from fleets import booking, whole
from unit.placement.builders import planned_cluster, role, sized, worker

TWO = role(gpus={"count": 2})
NAMED = role(gpus={"count": 2}, gpu_ids=(GpuId("b", "cuda", 0), GpuId("b", "cuda", 1)))


def judge(what, *workers, bookings=(), units=None, **others):
    """A judge, and the names of the workers by row."""
    on = planned_cluster(*workers, bookings=bookings)
    asked = sized(what, **others)
    field = CandidateVictims(on.snapshot, units_of(bookings if units is None else units), Budgets((), on.bookings))
    return HypotheticalRows(on, asked, asked.roles[0], field), {row: name for name, row in on.snapshot.rows.items()}


def held(name, *cards, on="a", **others):
    return booking(name, *map(whole, cards), on=on, **others)


BOOKINGS = (held("m", 0, 1), held("n", 0, on="b"), held("o", 1, on="b", priority=5))
WORKERS = (worker("a", cards=2), worker("b", cards=2))
OPEN = {
    "nobody is that low": (TWO, -1, []),
    "where the low ones are enough": (TWO, 0, ["a"]),
    "everywhere": (TWO, 5, ["a", "b"]),
    "only the cards that it names": (NAMED, 5, ["b"]),
    "nowhere": (role(gpus={"count": 3}), 5, []),
}


@pytest.mark.parametrize(("what", "bar", "wanted"), OPEN.values(), ids=OPEN)
def test_rows_that_would_do_without_the_low_ones(what, bar, wanted):
    asked, names = judge(what, *WORKERS, bookings=BOOKINGS)

    assert sorted(names[row] for row in asked.open_below(bar)) == wanted


def test_one_answer_for_each_set():
    asked, names = judge(TWO, *WORKERS, bookings=BOOKINGS)
    rows = {name: row for row, name in names.items()}
    n, o = asked.field.at(rows["b"], 5)

    assert asked.enough([(rows["b"], (n,)), (rows["b"], (n, o)), (rows["a"], ()), (rows["b"], (o,))]) == [
        False, True, False, False,
    ]  # fmt: skip
    assert asked.enough([]) == []


def test_nothing_is_written():
    on = planned_cluster(*WORKERS, bookings=BOOKINGS)
    asked = sized(TWO)
    field = CandidateVictims(on.snapshot, units_of(BOOKINGS), Budgets((), on.bookings))
    HypotheticalRows(on, asked, asked.roles[0], field).open_below(5)

    assert attempt(on, asked) is None


SEEN = {
    "full": (TWO, BOOKINGS, False),
    "one worker is free": (TWO, BOOKINGS[1:], True),
    "free, but too dear": (role(gpus={"count": 2}, cost=CostLimit(max_usd_per_hour=1.0)), BOOKINGS[1:], False),
    "free, but for whom it must not stand beside": (
        role(gpus={"count": 1}, anti_affinity=("m",)), (held("m", 0), *BOOKINGS[1:]), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("what", "bookings", "wanted"), SEEN.values(), ids=SEEN)
def test_room_that_is_seen_as_things_are(what, bookings, wanted):
    asked, _ = judge(what, *(worker(name, cards=2, usd_per_hour=2.0) for name in "ab"), bookings=bookings)

    assert asked.sees_room is wanted


def test_looks_are_equal_where_the_filters_see_no_difference():
    workers = (*WORKERS, worker("c", cards=2), worker("d", cards=2, ram_mib=10))
    bookings = (held("m", 0), held("n", 0, on="b"), held("o", 1, on="c"))
    for what, alike in ((TWO, True), (NAMED, False)):
        asked, names = judge(what, *workers, bookings=bookings)
        looks = dict(zip(names.values(), asked.looks(list(names)), strict=True))

        assert (looks["a"] == looks["b"]) is alike
        assert len({looks["a"], looks["c"], looks["d"]}) == 3


def test_those_beside_whom_it_must_not_stand_are_forced():
    what = role(gpus={"count": 1}, anti_affinity=("m", "g"))
    bookings = (held("m", 0), held("n", 1), held("x", 0, on="b", gang="g", priority=7), held("y", 1, on="b"))
    asked, names = judge(what, *WORKERS, bookings=bookings, units=[bookings[0], bookings[1], bookings[3]])

    assert {
        names[row]: [asked.field.units[each].owner.name for each in units] for row, units in asked.forced.items()
    } == {"a": ["m"]}
    assert [names[row] for row in asked.closed] == ["b"]
    assert [names[row] for row in asked.open_below(9)] == ["a"]


CLOSED = {
    "nothing is limited": (TWO, (), []),
    "too dear": (role(gpus={"count": 2}, cost=CostLimit(max_usd_per_hour=2.5)), (), ["dear"]),
    "too dear beside what it has": (
        role(gpus={"count": 2}, cost=CostLimit(max_usd_per_hour=2.5)), (held("mine", 0, on="cheap"),),
        ["dear", "spot"],
    ),
    "not too dear by less than a price can be": (
        role(gpus={"count": 2}, cost=CostLimit(max_usd_per_hour=3.0 - 1e-12)), (), [],
    ),
    "spot beyond its share": (role(gpus={"count": 2}, cost=CostLimit(max_spot_percent=0.0)), (), ["spot"]),
    "its share is used": (
        role(gpus={"count": 2}, cost=CostLimit(max_spot_percent=50.0)), (held("mine", 0, on="spot"),), ["spot"],
    ),
    "its share is not": (
        role(gpus={"count": 2}, cost=CostLimit(max_spot_percent=50.0)), (held("mine", 0, on="cheap"),), [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("what", "bookings", "wanted"), CLOSED.values(), ids=CLOSED)
def test_closed_rows(what, bookings, wanted):
    workers = (
        worker("cheap", cards=2, usd_per_hour=1.0),
        worker("dear", cards=2, usd_per_hour=3.0),
        worker("spot", cards=2, usd_per_hour=2.0, spot=True),
    )
    asked, names = judge(what, *workers, bookings=bookings, units=(), replicas=2)

    assert sorted(names[row] for row in asked.closed) == wanted


def test_whether_it_may_span_workers():
    assert judge(role(gpus={"count": 4, "locality": Locality.ANY}), *WORKERS)[0].spans
    assert not judge(TWO, *WORKERS)[0].spans
