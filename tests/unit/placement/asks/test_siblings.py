"""Where the siblings of a replica are."""

import numpy as np
import pytest

from bayplan.placement.asks.siblings import ALONE, SiblingLog, Siblings

SOME = Siblings.of({30: (2, {0: 1, 2: 2}), 10: (1, {})})

WORKERS = {
    "nobody has any": (ALONE, [10, 20], [0, 0]),
    "some have some": (SOME, [10, 20, 30], [1, 0, 2]),
    "in any order": (SOME, [30, 99, 10, 5], [2, 0, 1, 0]),
    "no workers": (SOME, [], []),
}


@pytest.mark.parametrize(("siblings", "hashes", "counts"), WORKERS.values(), ids=WORKERS)
def test_on_workers(siblings, hashes, counts):
    assert siblings.on_workers(np.array(hashes, np.int64)).tolist() == counts


def test_on_cards():
    assert SOME.on_cards(np.array([10, 30, 40], np.int64), 3).tolist() == [[0, 0, 0], [1, 0, 2], [0, 0, 0]]
    assert ALONE.on_cards(np.array([10], np.int64), 2).tolist() == [[0, 0]]


def test_what_was_handed_out_stays_as_it_was():
    log, here = SiblingLog(), np.array([7], np.int64)
    log.add(7, (0,))
    first, mark = log.now(), log.mark()
    log.add(7, (1,))
    second = log.now()
    log.back_to(mark)
    log.add(7, (3,))

    assert first.on_workers(here).tolist() == [1]
    assert second.on_cards(here, 4).tolist() == [[1, 1, 0, 0]]
    assert log.now().on_cards(here, 4).tolist() == [[1, 0, 0, 1]]
