"""Units by the rows on which they stand, and rows as they would be without them."""

import pytest

from bayplan.cluster.booking import Budget
from bayplan.cluster.snapshot import Snapshot
from bayplan.placement.preemption.candidate_victims import CandidateVictims
from bayplan.placement.preemption.units import Budgets, units_of
from fleets import booking, whole
from unit.placement.builders import worker

BOOKINGS = (
    booking("low", whole(0), on="a"),
    booking("mid", whole(1), on="a", priority=3),
    booking("wide", whole(0), on="b", priority=5),
    booking("wide", whole(2), on="a", priority=5),
    booking("lost", whole(0), on="gone", priority=4),
)
SNAPSHOT = Snapshot.load((worker("a", cards=4), worker("b", cards=4), worker("c", cards=4)), BOOKINGS[:4])
A, B, C = (SNAPSHOT.row(name) for name in "abc")


def field(*budgets):
    return CandidateVictims(SNAPSHOT, units_of(BOOKINGS), Budgets(budgets, BOOKINGS))


def names(units):
    return [unit.owner.name for unit in units]


def gone(cases, of):
    """By row, who would be gone from it."""
    owners = [booked.workload for unit in of.units for booked in unit.bookings]
    found = {int(row): [] for row in cases.rows}
    for case, claim in zip(cases.case.tolist(), cases.claim.tolist(), strict=True):
        found[int(cases.rows[case])].append(owners[claim])
    return {row: sorted(each) for row, each in found.items()}


AT = {
    "the lowest alone": (A, 0, ["low"]),
    "two of three": (A, 3, ["low", "mid"]),
    "all, the least harmful first": (A, 9, ["low", "mid", "wide"]),
    "a part of one that is over two workers": (B, 5, ["wide"]),
    "below everybody": (B, 4, []),
    "an empty worker": (C, 9, []),
}


@pytest.mark.parametrize(("row", "bar", "wanted"), AT.values(), ids=AT)
def test_who_stands_on_a_row(row, bar, wanted):
    there = field()

    assert names(there.chosen(there.at(row, bar))) == wanted


def test_priorities_from_the_lowest():
    assert field().priorities == [0, 3, 4, 5]


def test_what_a_unit_holds_of_a_row():
    there = field()
    (wide,) = there.at(B, 5)

    assert there.held(A, wide) == (BOOKINGS[3],)
    assert there.held(B, wide) == (BOOKINGS[2],)


ALL_GONE = {
    "one row": (0, {A: ["low"]}),
    "who is on no worker is gone from nowhere": (4, {A: ["low", "mid"]}),
    "every row": (9, {A: ["low", "mid", "wide"], B: ["wide"]}),
    "nobody is that low": (-1, {}),
}


@pytest.mark.parametrize(("bar", "wanted"), ALL_GONE.values(), ids=ALL_GONE)
def test_everybody_of_no_higher_priority_gone(bar, wanted):
    there = field()

    assert gone(there.all_gone(bar), there) == wanted


def test_these_gone_one_case_each():
    there = field()
    low, mid, wide = there.at(A, 9)
    cases = there.gone([(A, (low, wide)), (A, (mid,)), (B, ()), (B, (wide,))])

    assert cases.rows.tolist() == [A, A, B, B]
    assert cases.case.tolist() == [0, 0, 1, 3]
    assert [there.claims.rows[claim] for claim in cases.claim] == [A, A, A, B]


def test_those_who_have_fallen_are_there_no_more():
    there = field()
    low, mid, _ = there.chosen(there.at(A, 9))
    less = there.less([low])

    assert less.priorities == [3, 4, 5]
    assert names(less.chosen(less.at(A, 3))) == ["mid"]
    assert gone(less.all_gone(3), less) == {A: ["mid"]}
    assert there.at(A, 0)
    assert less.less([mid]).at(A, 3) == ()


BUDGETS = {
    "no budget": ((), (), True),
    "enough stay": ((Budget("low", 0),), (), True),
    "the last one must stay": ((Budget("low", 1),), (), False),
    "others have gone already": ((Budget("mid", 1),), ("mid",), False),
}


@pytest.mark.parametrize(("budgets", "beside", "allowed"), BUDGETS.values(), ids=BUDGETS)
def test_budgets(budgets, beside, allowed):
    there = field(*budgets)
    others = tuple(unit for unit in there.units if unit.owner.name in beside)

    assert there.allows(there.at(A, 0), others) is allowed
