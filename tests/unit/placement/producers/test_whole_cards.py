"""Whole cards are counted as by the slow producers."""

import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.links import Wiring
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.producers.whole_cards import WholeCards
from unit.placement.builders import ask
from unit.placement.producers.quick_and_slow import CARDS, MODELS, both


@given(CARDS, st.integers(1, 4), st.sampled_from([(), MODELS[:1]]))
def test_whole_cards(cards, count, models):
    made, slow = both(
        ask(taking=Taking.WHOLE, shapes=(CardShape(count),), rule=CardRule(models=models)), WholeCards(), cards
    )

    assert made["fit_order"].tolist() == slow.fit_order.tolist()
    assert made["fullness"].tolist() == pytest.approx(slow.fullness.tolist(), abs=1e-5)


DEMANDS = st.fixed_dictionaries(
    {
        "locality": st.sampled_from([None, Locality.NVLINK, Locality.SAME_SOCKET]),
        "min_bandwidth_gb_per_s": st.sampled_from([0.0, 32.0, 200.0]),
    }
)


@given(CARDS, st.integers(1, 4), DEMANDS, st.sampled_from([*Wiring, None]), st.integers(0, 3))
def test_linked_cards(cards, count, demands, wiring, sockets):
    seats = [number % sockets if sockets else None for number in range(len(cards))]
    seated = [({**card, "numa": numa}, held) for (card, held), numa in zip(cards, seats, strict=True)]
    made, slow = both(ask(taking=Taking.WHOLE, shapes=(CardShape(count),), **demands), WholeCards(), seated, wiring)

    assert made["fit_order"].tolist() == slow.fit_order.tolist()
    assert made["fullness"].tolist() == pytest.approx(slow.fullness.tolist(), abs=1e-5)
