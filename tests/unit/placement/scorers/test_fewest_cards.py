"""The earlier shape wins, however large the numbers of the order."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from bayplan.placement.cards.layers.layer_cards import ORDER_CARDS
from bayplan.placement.scorers.fewest_cards import FewestCards
from unit.placement.builders import ask, keeps_its_promises, worker

ORDERS = {
    "shapes": [0, 1, 2, 9],
    "layers left behind, then cards": [1, 16, ORDER_CARDS + 1, ORDER_CARDS + 2, 2 * ORDER_CARDS + 1, 500 * ORDER_CARDS],
    "MiB oversold": [0, 1, 1000, 1_000_000, 1_000_001],
}


@pytest.mark.parametrize("orders", ORDERS.values(), ids=ORDERS)
def test_scores_fall_strictly(orders):
    scores = FewestCards().score(ask(), SimpleNamespace(fit_order=np.array(orders)), None).tolist()

    assert all(0 < later < earlier <= 1 for earlier, later in pairwise(scores))


def test_contract():
    keeps_its_promises(FewestCards(), [worker()] * 4, [ask()], made={"fit_order": [0, 1, 2, -1]})
