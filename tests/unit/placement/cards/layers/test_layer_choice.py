"""Cards for layers on many workers at once: as worker by worker."""

from fractions import Fraction

import numpy as np
from hypothesis import given, strategies as st

from bayplan.cluster.links import LinkSpec, wire_listed
from bayplan.placement.asks.ask import CardRule, Layers, Taking
from bayplan.placement.cards.layers import layer_cards
from bayplan.placement.cards.layers.layer_choice import choose_layers
from bayplan.placement.cards.linked.linked_layers import choose
from bayplan.placement.cards.linked.linked_sets import near_of
from fleets import booking, share
from unit.placement.builders import ask, gpu, seen, worker

MODELS = st.builds(
    Layers,
    count=st.integers(1, 30),
    layer_mib=st.sampled_from((Fraction(10), Fraction(10, 3), Fraction(7, 1 << 60))),
    overhead_mib=st.integers(0, 9),
    cards=st.sampled_from((None, None, 1, 2, 3)),
    partial=st.booleans(),
)
FOUR = [gpu(index, memory_mib=100) for index in range(4)]
PAIRS = wire_listed([LinkSpec(0, 1, "nvlink"), LinkSpec(2, 3, "nvlink")], FOUR)


@given(MODELS, st.lists(st.lists(st.integers(0, 100), min_size=1, max_size=4), min_size=1, max_size=6), st.booleans())
def test_as_one_by_one(layers, used, paired):
    workers = [
        worker(
            f"w{place}",
            cards=FOUR[: len(cards)],
            links=PAIRS if paired and len(cards) == 4 else None,
        )
        for place, cards in enumerate(used)
    ]
    held = [
        booking("o", share(index, amount), replica=10 * place + index, on=f"w{place}")
        for place, cards in enumerate(used)
        for index, amount in enumerate(cards)
    ]
    asked = ask(taking=Taking.LAYERS, layers=layers, rule=CardRule(needs_memory=True))
    rows = seen(asked, *workers, bookings=held)
    chosen, full = choose_layers(asked, rows)

    for row, free in enumerate(np.maximum(rows.card_room, 0).tolist()):
        places = []
        if rows.fit_shape[row] >= 0:
            wires = int(rows.links_id[row]), int(rows.cards_id[row])
            near = near_of(asked, rows.pools, *wires, int(rows.fit_shape[row]))
            places = choose(layers, free, [layers.room_for(each) for each in free], near)
        assert np.flatnonzero(chosen[row]).tolist() == places
        assert full[row] == layer_cards.fullness(layers, [free[place] for place in places]) if places else not full[row]
