"""Rows by group: in lists and in arrays the same."""

import numpy as np
import pytest

from bayplan.framework.evaluation.group_members import ArrayMembers, ListMembers, members_of
from bayplan.framework.evaluation.totals import ArrayTotals, ListTotals

inf = float("inf")
SUMS = [[1.0, 5.0, 3.0, 5.0, -inf, 5.0], [0.0, 1.0, 0.0, 2.0, -inf, 2.0]]
GROUPS = [7, 7, 2, 2, 2, 9]
AMOUNTS = [10, 20, 30, 40, 50, 60]


def arrays(desired=2, groups=GROUPS):
    return members_of(ArrayTotals([np.array(level) for level in SUMS]), np.array(groups), desired)


def lists(desired=2, groups=GROUPS):
    rows = [row for row, total in enumerate(SUMS[0]) if total != -inf]
    return members_of(ListTotals(rows, [[level[row] for row in rows] for level in SUMS]), groups, desired)


def test_numbers_are_grouped_in_arrays_and_other_values_in_lists():
    assert isinstance(arrays(), ArrayMembers)
    assert isinstance(lists(), ListMembers)
    assert isinstance(arrays(groups=np.array(list("aabbbc"), object)), ListMembers)


@pytest.mark.parametrize("make", [arrays, lists])
def test_groups_come_in_the_order_of_their_best_rows(make):
    found = make()

    assert list(found.best) == [3, 5, 1], "equal rows by their number"
    assert list(found.left) == [2, 1, 2]
    assert list(found.lowest) == [2, 5, 0]
    assert [list(found.rows(place)) for place in range(3)] == [[3, 2], [5], [1, 0]]


SUMMED = {  # desired; sums of groups in their order
    1: [40, 60, 20],
    2: [70, 60, 30],
    9: [70, 60, 30],
}


@pytest.mark.parametrize("make", [arrays, lists])
@pytest.mark.parametrize(("desired", "sums"), SUMMED.items())
def test_sums_are_over_the_rows_that_a_group_would_give(make, desired, sums):
    column = np.array(AMOUNTS) if make is arrays else AMOUNTS
    found = make(desired).sums(column)

    assert list(found) == sums
    assert AMOUNTS == [10, 20, 30, 40, 50, 60]


@pytest.mark.parametrize("desired", [1, 2])
@pytest.mark.parametrize("groups", [GROUPS, list("aabbbc")], ids=["numbers", "letters"])
def test_truth_values_are_counted(desired, groups):
    totals = ArrayTotals([np.array(level) for level in SUMS])
    found = members_of(totals, np.array(groups, None if groups is GROUPS else object), desired)

    assert found.sums(np.ones(6, np.bool_)).tolist() == ([1, 1, 1] if desired == 1 else [2, 1, 2])


def test_no_row_is_left():
    found = members_of(ArrayTotals([np.full(3, -inf)]), np.array([1, 1, 2]), 1)

    assert (list(found.best), list(found.left), list(found.lowest)) == ([], [], [])
