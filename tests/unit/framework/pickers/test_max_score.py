from collections import Counter
from math import inf

import numpy as np
import pytest

from bayplan.framework.evaluation.totals import ArrayTotals, ListTotals
from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import ONE, Want
from unit.framework.builders import cycle


def arrays(*levels):
    return ArrayTotals([np.array(level, float) for level in levels])


def lists(*levels):
    left = [row for row, value in enumerate(levels[0]) if value != -inf]
    return ListTotals(left, [[float(level[row]) for row in left] for level in levels])


STORAGES = pytest.mark.parametrize("totals", [arrays, lists])

CASES = {
    "the best": (([1, 3, 2],), ONE, [1]),
    "the lowest of equals": (([1, 3, 3],), ONE, [1]),
    "several, best first": (([1, 3, 2, 9],), Want(3), [3, 1, 2]),
    "several, the lower of equals first": (([2, 3, 3, 2],), Want(3), [1, 2, 0]),
    "fewer than desired": (([1, -inf, 2],), Want(5), [2, 0]),
    "level by level": (([1, 1, 0], [2, 3, 9]), Want(3), [1, 0, 2]),
}


@STORAGES
@pytest.mark.parametrize(("levels", "want", "rows"), CASES.values(), ids=CASES)
def test_lowest(totals, levels, want, rows):
    assert list(MaxScore().pick(totals(*levels), want, cycle())) == rows


@STORAGES
@pytest.mark.parametrize("want", [ONE, Want(2)])
def test_seeded_ties_are_shared_evenly_and_only_among_equals(totals, want):
    picks = Counter(
        MaxScore(ties="seeded").pick(totals([0, 7, 7, -inf, 7]), want, cycle(seed))[0] for seed in range(300)
    )

    assert set(picks) == {1, 2, 4}
    assert min(picks.values()) > 70


@STORAGES
def test_seeded_several_keep_the_order_of_levels(totals):
    for seed in range(20):
        rows = MaxScore(ties="seeded").pick(totals([2, 2, 3, 1], [5, 5, 0, 9]), Want(4), cycle(seed))
        assert rows[0] == 2
        assert set(rows[1:3]) == {0, 1}
        assert rows[3] == 3


@STORAGES
def test_the_same_seed_gives_the_same_rows(totals):
    picker = MaxScore(ties="seeded")
    for want in (ONE, Want(3)):
        once, again = (list(picker.pick(totals([1] * 9), want, cycle(5))) for _ in range(2))
        assert once == again
        assert len(set(once)) == want.desired
