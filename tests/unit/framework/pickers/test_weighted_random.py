from collections import Counter
from math import inf

import numpy as np
import pytest

from bayplan.framework.evaluation.totals import ArrayTotals
from bayplan.framework.pickers.weighted_random import WeightedRandom
from bayplan.framework.plugins import ONE, Want
from unit.framework.builders import cycle


def totals(*levels):
    return ArrayTotals([np.array(level, float) for level in levels])


def shares(mine, want=ONE, draws=2000):
    picks = Counter(WeightedRandom().pick(mine, want, cycle(seed))[0] for seed in range(draws))
    return {row: count / draws for row, count in sorted(picks.items())}


SHARES = {
    "in proportion": (([1, 3],), {0: 0.25, 1: 0.75}),
    "whatever the scale, small": (([1e-9, 3e-9],), {0: 0.25, 1: 0.75}),
    "whatever the scale, large": (([1e300, 3e300],), {0: 0.25, 1: 0.75}),
    "refused rows never": (([2, -inf, 2],), {0: 0.5, 2: 0.5}),
    "nothing above zero: evenly": (([0, -5],), {0: 0.5, 1: 0.5}),
    "zero only when no other is left": (([0, 1, -1],), {1: 1.0}),
    "by the last level": (([9, 1], [1, 4]), {0: 0.2, 1: 0.8}),
}


@pytest.mark.parametrize(("levels", "wanted"), SHARES.values(), ids=SHARES)
def test_shares(levels, wanted):
    got = shares(totals(*levels))

    assert got.keys() == wanted.keys()
    for row, share in wanted.items():
        assert got[row] == pytest.approx(share, abs=0.035)


def test_several_are_drawn_without_putting_back_and_better_ones_come_first_more_often():
    mine = totals([1, 0, 3, -inf])
    firsts = Counter()
    for seed in range(600):
        rows = WeightedRandom().pick(mine, Want(3), cycle(seed))
        assert sorted(rows) == [0, 1, 2]
        assert rows[2] == 1
        firsts[rows[0]] += 1
    assert firsts[2] / 600 == pytest.approx(0.75, abs=0.06)


def test_no_more_than_desired():
    assert len(WeightedRandom().pick(totals([1, 1, 1]), Want(2), cycle())) == 2


def test_the_same_seed_gives_the_same_rows():
    mine = totals([1.0, 2.0, 3.0, 4.0])

    assert WeightedRandom().pick(mine, Want(3), cycle(9)) == WeightedRandom().pick(mine, Want(3), cycle(9))
