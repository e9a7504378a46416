"""A part of one card's compute is answered as by the slow producers."""

import numpy as np
from hypothesis import given, strategies as st

from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.producers.one_share import OneShare
from unit.placement.builders import ask
from unit.placement.producers.quick_and_slow import CARDS, MODELS, both


@given(CARDS, st.integers(1, 1000), st.sampled_from([(), MODELS[:1]]))
def test_a_part_of_one_cards_compute(cards, compute_milli, models):
    asked = ask(taking=Taking.SHARE, shapes=(CardShape(1),), rule=CardRule(models=models), compute_milli=compute_milli)
    made, slow = both(asked, OneShare(), cards)

    assert made["fit_order"].tolist() == slow.fit_order.tolist()
    assert np.where(made["fit_order"] >= 0, made["fullness"], 0.0).tolist() == slow.fullness.tolist()
