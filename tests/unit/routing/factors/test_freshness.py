"""Old and unknown figures are never taken for the best."""

import pytest

from bayplan.routing.factors.freshness import scores_by

NOW, OLD = 10.0, 7.0
CASES = {
    "all fresh": ([1, 2], [NOW, NOW], [0.1, 0.2]),
    "old": ([1, 2, 9], [NOW, NOW, OLD], [0.1, 0.2, 0.1]),
    "never measured": ([1, 2, 9], [NOW, NOW, None], [0.1, 0.2, 0.1]),
    "unknown": ([1, 2, None], [NOW, NOW, NOW], [0.1, 0.2, 0.1]),
    "none fresh: as they stand": ([1, 2, None], [OLD, None, OLD], [0.1, 0.2, 0.1]),
    "nothing known": ([None, None], [NOW, OLD], [0.5, 0.5]),
}


@pytest.mark.parametrize(("values", "measured", "wanted"), CASES.values(), ids=CASES)
def test_scores(values, measured, wanted):
    assert scores_by(values, measured, NOW, lambda known: [value / 10 for value in known]) == wanted
