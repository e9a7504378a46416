from math import inf

import numpy as np
import pytest

from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.totals import ArrayTotals, ListTotals


def arrays(*levels):
    return ArrayTotals([np.array(level, float) for level in levels])


def lists(*levels):
    left = [row for row, value in enumerate(levels[0]) if value != -inf]
    return ListTotals(left, [[float(level[row]) for row in left] for level in levels])


STORAGES = pytest.mark.parametrize("totals", [arrays, lists])

CASES = {  # levels, best, equals, ranked
    "the highest": (([1, 3, 2],), 1, [1], [1, 2, 0]),
    "the lower of equals": (([1, 3, 3],), 1, [1, 2], [1, 2, 0]),
    "refused rows are out": (([-inf, 1, -inf, 2],), 3, [3], [3, 1]),
    "negative sums": (([-2, -1],), 1, [1], [1, 0]),
    "none is left": (([-inf, -inf],), -1, None, []),
    "no rows": (([],), -1, None, []),
    "the second level decides among equals": (([1, 2, 2], [9, 1, 5]), 2, [2], [2, 1, 0]),
    "the first level is strict": (([1, 2], [9, 0]), 1, [1], [1, 0]),
    "equal on all levels": (([2, 2, 2, 1], [1, 5, 5, 9]), 1, [1, 2], [1, 2, 0, 3]),
    "three levels": (([1, 1, 1], [2, 2, 0], [3, 4, 9]), 1, [1], [1, 0, 2]),
    "a negative second level": (([1, 1], [-5, -4]), 1, [1], [1, 0]),
    "refused on two levels": (([-inf, 1], [-inf, -7]), 1, [1], [1]),
}


@STORAGES
@pytest.mark.parametrize(("levels", "best", "equals", "ranked"), CASES.values(), ids=CASES)
def test_orders(totals, levels, best, equals, ranked):
    mine = totals(*levels)

    assert mine.best() == best == mine.best()
    assert mine.ranked() == ranked
    assert [mine.top(count) for count in (1, 2, 3)] == [ranked[:count] for count in (1, 2, 3)]
    assert mine.survivors() == sorted(ranked)
    if equals is not None:
        assert mine.equals() == equals


@STORAGES
def test_sums_of_a_row(totals):
    mine = totals([1, -inf, 3], [4, -inf, -0.0])

    assert mine.total(0) == (1.0, 4.0)
    assert repr(mine.total(2)[0]) == "3.0"


def test_sums_in_lists_are_never_minus_zero():
    assert str(lists([-0.0]).total(0)) == "(0.0,)"


@STORAGES
@pytest.mark.parametrize(("row", "accepted"), [(0, True), (1, False), (2, True), (3, False), (-1, False)])
def test_accepts_the_rows_that_are_left(totals, row, accepted):
    assert (totals([1, -inf, 3]).taken(row) is not None) is accepted


@STORAGES
def test_only_refuses_the_others(totals):
    mine = totals([1, 2, 3, 2], [0, 5, 0, 6])
    some = mine.only([3, 1])

    assert some.survivors() == [1, 3]
    assert some.best() == 3
    assert some.total(1) == (2.0, 5.0)
    assert some.taken(2) is None
    assert mine.survivors() == [0, 1, 2, 3]


def test_a_range_of_rows_will_do():
    assert ListTotals(range(3), [[1.0, 3.0, 2.0]]).best() == 1
    assert ListTotals(range(0), [[]]).best() == -1


def test_a_number_that_is_none_is_found_at_the_top():
    with pytest.raises(PluginError, match="plugin row stage: gave NaN for row 1"):
        arrays([1, np.nan, 3]).best()


def test_a_row_that_is_best_on_the_last_level_alone_is_no_equal():
    assert arrays([2, 2, 1], [5, 4, 5]).equals() == [0]
    assert arrays([2, 1, 2], [4, 5, 4], [1, 9, 3]).equals() == [2]
