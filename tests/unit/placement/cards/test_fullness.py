"""How full the chosen cards would be."""

import numpy as np
import pytest

from bayplan.cluster.pools import Pools
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.cards.fullness import PER_CARD_LEFT, share_fullness, whole_fullness
from bayplan.placement.cards.rows import GatheredRows
from unit.placement.builders import ask

SHARE = ask(taking=Taking.SHARE, shapes=(CardShape(1, 10),), rule=CardRule(needs_memory=True))
WHOLE = ask(taking=Taking.WHOLE, shapes=(CardShape(1),))


def fullness(what, chosen, need=10, free=(40, 20), milli=(1000, 500)):
    """Of one worker with two cards."""
    rows = GatheredRows(1, Pools(), {"card_free_mib": np.array([free]), "card_free_milli": np.array([milli])})
    mask = np.array([chosen])
    return share_fullness(what, rows, mask, np.array([[True, True]]), np.array([need])).tolist()[0]


SHARES = {
    "a part of what is free": ((True, False), 10, 0.25),
    "the fullest of them": ((True, True), 10, 0.5),
    "no card": ((False, False), 10, 0.0),
    "never more than full": ((False, True), 90, 1.0),
}


@pytest.mark.parametrize(("chosen", "need", "full"), SHARES.values(), ids=SHARES)
def test_shares(chosen, need, full):
    assert fullness(SHARE, chosen, need) == full


def test_a_card_on_which_nothing_is_free_is_full():
    assert fullness(SHARE, (True, False), free=(0, 20)) == 1.0


@pytest.mark.parametrize(("chosen", "full"), [((True, False), 0.25), ((True, True), 0.5), ((False, False), 0.0)])
def test_shares_of_compute(chosen, full):
    what = ask(taking=Taking.SHARE, shapes=(CardShape(1),), compute_milli=250)

    assert what.by_compute
    assert fullness(what, chosen) == full


def test_whole_cards_are_full_and_fewer_idle_ones_are_a_little_better():
    assert fullness(WHOLE, (True, True)) == 1.0
    assert fullness(WHOLE, (True, False)) == 1.0 - PER_CARD_LEFT
    assert fullness(WHOLE, (False, False)) == 0.0
    assert whole_fullness(np.array([True, False]), np.array([3, 3])).tolist() == [1.0 - 3 * PER_CARD_LEFT, 0.0]
