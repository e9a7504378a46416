from collections import Counter
from math import inf

import numpy as np

from bayplan.framework.evaluation.totals import ArrayTotals
from bayplan.framework.pickers.random import Random
from bayplan.framework.plugins import ONE, Want
from unit.framework.builders import cycle

TOTALS = ArrayTotals([np.array([5.0, -inf, 0.1, -3.0])])


def test_every_row_that_is_left_has_the_same_chance():
    picks = Counter(Random().pick(TOTALS, ONE, cycle(seed))[0] for seed in range(300))

    assert set(picks) == {0, 2, 3}
    assert min(picks.values()) > 70


def test_several_are_drawn_without_putting_back():
    firsts = Counter()
    for seed in range(300):
        rows = Random().pick(TOTALS, Want(2), cycle(seed))
        assert len(set(rows)) == 2
        firsts.update(rows)
    assert set(firsts) == {0, 2, 3}
    assert min(firsts.values()) > 150


def test_there_may_be_fewer_than_desired():
    assert sorted(Random().pick(TOTALS, Want(9), cycle())) == [0, 2, 3]


def test_the_same_seed_gives_the_same_rows():
    for want in (ONE, Want(2)):
        assert Random().pick(TOTALS, want, cycle(4)) == Random().pick(TOTALS, want, cycle(4))
