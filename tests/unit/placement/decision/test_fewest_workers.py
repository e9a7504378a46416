"""The fewest workers that give enough cards within a budget."""

import numpy as np
import pytest

from bayplan.placement.decision.fewest_workers import fewest_within

CASES = {
    "two of the large are too dear": ([4, 4, 2, 2], [10, 10, 1, 1], 8, 13, {(0, 2, 3), (1, 2, 3)}),
    "one is enough": ([4, 4], [10, 3], 4, 5, {(1,)}),
    "of equally many the cheapest": ([4, 4, 4], [3, 2, 1], 8, 9, {(1, 2)}),
    "none": ([4, 4], [10, 10], 8, 13, {()}),
    "too few cards": ([4, 2], [1, 1], 8, 13, {()}),
    "workers without any are not asked": ([0, 4], [0, 1], 4, 1, {(1,)}),
}  # fmt: skip


@pytest.mark.parametrize(("units", "prices", "wanted", "limit", "expected"), CASES.values(), ids=CASES)
def test_fewest_within(units, prices, wanted, limit, expected):
    found = fewest_within(np.array(units), np.array(prices, float), wanted, limit)

    assert tuple(place for place, _ in found) in expected
    assert sum(number for _, number in found) == (wanted if found else 0)
    assert all(number <= units[place] for place, number in found)
