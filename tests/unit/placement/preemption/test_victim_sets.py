"""Subsets are counted through by what they add up to."""

from itertools import combinations

import pytest

from bayplan.placement.preemption.victim_sets import VictimSet, subsets

SIZES = {
    "nothing wanted": ([(0, 1)], 0, [()]),
    "nobody there": ([], 1, []),
    "too few together": ([(0, 1), (1, 1)], 3, []),
    "less than nothing": ([(0, 1)], -1, []),
    "one too large": ([(0, 3), (1, 1)], 1, [(1,)]),
    "one or two": ([(7, 2), (8, 1), (9, 1)], 2, [(7,), (8, 9)]),
}


@pytest.mark.parametrize(("sizes", "total", "wanted"), SIZES.values(), ids=SIZES)
def test_subsets(sizes, total, wanted):
    assert list(subsets(sizes, total)) == wanted


def test_every_subset_comes_once():
    sizes = list(enumerate([1, 2, 2, 3, 1, 4]))
    for total in range(14):
        all_sets = [
            tuple(number for number, _ in each)
            for count in range(len(sizes) + 1)
            for each in combinations(sizes, count)
            if sum(size for _, size in each) == total
        ]

        assert sorted(subsets(sizes, total)) == sorted(all_sets)


def test_a_choice_is_proven_unless_somebody_says_otherwise():
    assert VictimSet(()).proven
    assert not VictimSet((), proven=False).proven
