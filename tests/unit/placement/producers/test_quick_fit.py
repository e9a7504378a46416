"""The quick answers are those of the slow producers."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.cards.choose import choose
from bayplan.placement.producers.quick_fit import OneCard, OneShare, WholeCards
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, seen, subject, table_of, worker

MODELS = ("A100-SXM4-40GB", "H100-SXM5-80GB")

CARD = st.builds(
    lambda size, model, healthy: {"memory_mib": size, "model": model, "healthy": healthy},
    st.sampled_from([40, 80, None]),
    st.sampled_from(MODELS),
    st.booleans(),
)
HELD = st.sampled_from([None, "whole", 10, 40])
CARDS = st.lists(st.tuples(CARD, HELD), max_size=5)


def both(asked, quick, cards, wiring=None):
    """What the quick and the slow producers say of one worker with these cards."""
    gpus = [gpu(number, pcie_gen=4, **card) for number, (card, _) in enumerate(cards)]
    where = worker(cards=gpus, links=None if wiring is None else wire(wiring, gpus))
    taken = [(number, held) for number, (_, held) in enumerate(cards) if held is not None]
    parts = [whole(number) if held == "whole" else share(number, held) for number, held in taken]
    bookings = (booking("other", *parts),)
    slow = choose(asked, seen(asked, where, bookings=bookings), "tight", subject())
    table = table_of(where, bookings=bookings)
    for name in ("card_share_free_mib", "wholly_free"):
        setattr(slow, name, table.columns[name])
    return quick.produce(asked, slow, None), slow


@given(CARDS, st.integers(0, 90), st.sampled_from([(), MODELS[:1]]))
def test_a_share_of_one_card(cards, need_mib, models):
    rule = CardRule(models=models, needs_memory=True)
    made, slow = both(ask(taking=Taking.SHARE, shapes=(CardShape(1, need_mib),), rule=rule), OneCard(), cards)

    assert made["fit_order"].tolist() == slow.fit_order.tolist()
    assert np.where(made["fit_order"] >= 0, made["fullness"], 0.0).tolist() == slow.fullness.tolist()


@given(CARDS, st.integers(1, 1000), st.sampled_from([(), MODELS[:1]]))
def test_a_part_of_one_cards_compute(cards, compute_milli, models):
    asked = ask(taking=Taking.SHARE, shapes=(CardShape(1),), rule=CardRule(models=models), compute_milli=compute_milli)
    made, slow = both(asked, OneShare(), cards)

    assert made["fit_order"].tolist() == slow.fit_order.tolist()
    assert np.where(made["fit_order"] >= 0, made["fullness"], 0.0).tolist() == slow.fullness.tolist()


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
