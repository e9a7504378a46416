"""The cards worth least."""

import numpy as np
import pytest

from bayplan.placement.cards.cheapest_cards import least

CASES = {
    "one": ([5, 3, 4], [1, 1, 1], 1, [1]),
    "two": ([5, 3, 4], [1, 1, 1], 2, [1, 2]),
    "only candidates": ([5, 3, 4], [1, 0, 1], 1, [2]),
    "equals by position": ([4, 4, 4], [0, 1, 1], 1, [1]),
    "none": ([5, 3, 4], [1, 1, 1], 0, []),
    "negative worth": ([-5, -3, -4], [1, 1, 1], 2, [0, 2]),
}


@pytest.mark.parametrize(("worth", "candidates", "cards", "wanted"), CASES.values(), ids=CASES)
def test_least(worth, candidates, cards, wanted):
    rows = np.array([worth, worth]), np.array([candidates, candidates], np.bool_), np.array([cards, 2])
    alone = least(rows[0][:1], rows[1][:1], rows[2][:1])

    assert np.flatnonzero(least(*rows)[0]).tolist() == wanted
    assert np.flatnonzero(alone[0]).tolist() == wanted
