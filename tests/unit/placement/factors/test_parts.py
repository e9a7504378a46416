"""Means of parts: what does not apply is left out, what is not known counts half and is named."""

import numpy as np
import pytest

from bayplan.placement.factors.parts import inverse, mean_of, not_known, part, share

ALL = np.array([1.0, 0.0])
YES, NO = np.array([True, True]), np.array([False, False])
FIRST = np.array([True, False])

MEANS = {
    "no part at all": ([], [0.5, 0.5], ["", ""]),
    "one part": ([part("a", ALL)], [1.0, 0.0], ["", ""]),
    "two parts": ([part("a", ALL), part("b", np.array([0.5, 0.5]))], [0.75, 0.25], ["", ""]),
    "not known": ([part("a", ALL, FIRST)], [1.0, 0.5], ["", "not known: a"]),
    "two that are not known": ([part("a", ALL, NO), part("b", ALL, FIRST)], [0.75, 0.5],
                               ["not known: a", "not known: a, b"]),
    "left out": ([part("a", ALL), part("b", np.array([0.0, 0.0]), applies=FIRST)], [0.5, 0.0], ["", ""]),
    "left out everywhere": ([part("a", ALL, applies=NO)], [0.5, 0.5], ["", ""]),
    "left out before it is missed": ([part("a", ALL), part("b", ALL, NO, NO)], [1.0, 0.0], ["", ""]),
    "a value that is no number": ([part("a", np.array([np.nan, 0.25]), ~FIRST)], [0.5, 0.25], ["not known: a", ""]),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "means", "notes"), MEANS.values(), ids=MEANS)
def test_means_and_notes(parts, means, notes):
    assert mean_of(parts, 2).tolist() == means
    assert not_known(parts, 2) == notes


@pytest.mark.parametrize(("amount", "wanted"), [(0, 0.0), (25, 0.25), (100, 1.0), (900, 1.0), (-1, 0.0)])
def test_shares(amount, wanted):
    assert share(np.array([amount]), 100.0).tolist() == [wanted]
    assert inverse(np.array([amount]), 100.0).tolist() == [1 - wanted]
