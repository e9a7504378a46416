"""The quick choice on one row is the choice that the columns make."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.cards.choose import choose, look
from bayplan.placement.cards.linked.linked_sets import near_of
from bayplan.placement.cards.quick_cards import quick_cards
from bayplan.placement.cards.usable import usable_places
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, hash_of, subject, worker

MODELS = ("A100-SXM4-40GB", "H100-SXM5-80GB")
RULES = st.sampled_from([(), MODELS[:1]])
CARDS = st.lists(
    st.tuples(
        st.builds(
            lambda size, model, numa: {"memory_mib": size, "model": model, "numa": numa},
            st.sampled_from([40, 80]),
            st.sampled_from(MODELS),
            st.sampled_from([0, 1]),
        ),
        st.sampled_from([None, None, "whole", 10, 30, 500]),
    ),
    min_size=1,
    max_size=6,
)
SHARES = st.builds(
    lambda mib, models: ask(
        taking=Taking.SHARE, shapes=(CardShape(1, mib),), rule=CardRule(models=models, needs_memory=True)
    ),
    st.integers(0, 60),
    RULES,
)
COMPUTE = st.builds(
    lambda milli, models: ask(
        taking=Taking.SHARE, shapes=(CardShape(1),), rule=CardRule(models=models), compute_milli=milli
    ),
    st.integers(1, 600),
    RULES,
)
WHOLE = st.builds(
    lambda count, models, locality, copies: ask(
        taking=Taking.WHOLE,
        shapes=(CardShape(count),),
        rule=CardRule(models=models),
        locality=locality,
        copies=copies,
    ),
    st.integers(1, 3),
    RULES,
    st.sampled_from([None, Locality.NVLINK, Locality.SAME_SOCKET]),
    st.integers(1, 2),
)


def held_by_others(cards):
    for number, (_, held) in enumerate(cards):
        if held == "whole":
            yield whole(number)
        elif held == 500:
            yield share(number, compute_milli=held)
        elif held is not None:
            yield share(number, held)


ASKS = {"a share": SHARES, "compute": COMPUTE, "whole cards": WHOLE}
SELECTED = st.none() | st.sets(st.integers(0, 5), min_size=4)


@pytest.mark.parametrize("kind", ASKS)
@given(st.data(), CARDS, st.sampled_from([*Wiring, None]), SELECTED)
def test_the_same_cards(kind, data, cards, wiring, selected):
    asked = data.draw(ASKS[kind])
    gpus = [gpu(number, pcie_gen=4, **card) for number, (card, _) in enumerate(cards)]
    on = worker(cards=gpus, links=None if wiring is None else wire(wiring, gpus))
    if selected is not None:
        asked = ask(**{name: getattr(asked, name) for name in GIVEN}, gpu_ids=[f"a:cuda:{each}" for each in selected])
    snapshot = Snapshot.load([on], [booking("o", *held_by_others(cards))])
    rows = look(asked, snapshot.table, np.array([0]))
    assume(rows.fit_shape[0] >= 0)
    usable = usable_places(asked, snapshot.site(0).cards, hash_of("a"))
    near = near_of(asked, snapshot.pools, int(rows.links_id[0]), int(rows.cards_id[0]), asked.shapes[0].cards)

    quick = quick_cards(asked, snapshot.holding(0, snapshot.table), usable, lambda: near)

    assert asked.quick
    assert quick == np.flatnonzero(choose(asked, rows, "tight", subject()).chosen[0]).tolist()


GIVEN = ("taking", "shapes", "rule", "compute_milli", "locality", "copies")
