"""A share of one card is answered as by the slow producers."""

import numpy as np
from hypothesis import given, strategies as st

from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.producers.one_card import OneCard
from unit.placement.builders import ask
from unit.placement.producers.quick_and_slow import CARDS, MODELS, both


@given(CARDS, st.integers(0, 90), st.sampled_from([(), MODELS[:1]]))
def test_a_share_of_one_card(cards, need_mib, models):
    rule = CardRule(models=models, needs_memory=True)
    made, slow = both(ask(taking=Taking.SHARE, shapes=(CardShape(1, need_mib),), rule=rule), OneCard(), cards)

    assert made["fit_order"].tolist() == slow.fit_order.tolist()
    assert np.where(made["fit_order"] >= 0, made["fullness"], 0.0).tolist() == slow.fullness.tolist()
