"""Layers on cards that are linked, against every set of cards."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardRule, Layers, Taking
from bayplan.placement.cards.choose import choose
from bayplan.placement.cards.layers.layer_cards import ORDER_CARDS
from bayplan.placement.filters.locality import NearCards
from fleets import booking, joined_by_nvlink, share
from unit.placement.builders import ask, gpu, judge, seen, subject, worker

NVLINK, SOCKET = Locality.NVLINK, Locality.SAME_SOCKET
TEN = Fraction(10)


def by_layers(locality=None, **layers):
    rule = CardRule(needs_memory=True, mixes_models=True)
    return ask(taking=Taking.LAYERS, rule=rule, layers=Layers(**{"overhead_mib": 0, **layers}), locality=locality)


def on(wiring, *sizes):
    gpus = [gpu(number, memory_mib=size, numa=number // 2) for number, size in enumerate(sizes)]
    return worker(cards=gpus, links=wire(wiring, gpus) if isinstance(wiring, Wiring) else wire_listed(wiring, gpus))


def given_by(asked, where):
    """Number of cards, order, and the cards themselves."""
    rows = seen(asked, where)
    chosen = choose(asked, rows, "tight", subject()).chosen
    cards = [place for place, taken in enumerate(chosen[0].tolist()) if taken]
    return int(rows.fit_shape[0]), int(rows.fit_order[0]), cards


PAIRS = Wiring.NVLINK_PAIRS

CASES = {
    "on one card": (by_layers(NVLINK, count=4, layer_mib=TEN), on(PAIRS, 20, 50, 40, 10), (1, 1, [2])),
    "on a pair": (by_layers(NVLINK, count=6, layer_mib=TEN), on(PAIRS, 20, 50, 40, 30), (2, 2, [0, 1])),
    "a pair, though others are roomier": (
        by_layers(NVLINK, count=6, layer_mib=TEN), on(PAIRS, 50, 5, 40, 30), (2, 2, [2, 3]),
    ),
    "no pair holds them": (by_layers(NVLINK, count=8, layer_mib=TEN), on(PAIRS, 50, 5, 40, 30), (-1, -2, [])),
    "nor do all cards": (by_layers(NVLINK, count=99, layer_mib=TEN), on(PAIRS, 50, 5, 40, 30), (-1, -1, [])),
    "on a socket": (by_layers(SOCKET, count=7, layer_mib=TEN), on(PAIRS, 50, 5, 40, 30), (2, 2, [2, 3])),
    "the rest stays on the host": (
        by_layers(NVLINK, count=9, layer_mib=TEN, partial=True), on(PAIRS, 50, 5, 40, 30),
        (2, 2 * ORDER_CARDS + 2, [2, 3]),
    ),
    "so many cards": (by_layers(NVLINK, count=2, layer_mib=TEN, cards=2), on(PAIRS, 50, 50, 20, 20), (2, 2, [2, 3])),
    "without a demand an island first": (
        by_layers(count=6, layer_mib=TEN), on(PAIRS, 50, 30, 40, 20), (2, 2, [2, 3]),
    ),
    "unless it holds too little": (by_layers(count=9, layer_mib=TEN), on(PAIRS, 50, 30, 40, 20), (2, 2, [0, 2])),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "where", "wanted"), CASES.values(), ids=CASES)
def test_layers(asked, where, wanted):
    assert given_by(asked, where) == wanted


def test_what_is_lacking_is_told_in_layers():
    asked = by_layers(NVLINK, count=8, layer_mib=TEN)
    refused = judge(NearCards(), asked, on(PAIRS, 50, 5, 40, 30))

    assert (refused.code, refused.needed, refused.free, refused.curable) == ("locality", 8, 7, False)
    assert refused.message == "needs room for 8 layers on cards that NVLink joins; such cards hold at most 7"


def test_layers_that_wait_for_others():
    asked = by_layers(NVLINK, count=8, layer_mib=TEN)

    assert judge(NearCards(), asked, on(PAIRS, 50, 40, 30, 30), bookings=(booking("o", share(1, 20)),)).curable


@given(
    st.sets(st.sampled_from(list(combinations(range(5), 2)))),
    st.lists(st.integers(0, 6), min_size=5, max_size=5),
    st.integers(1, 14),
)
def test_the_fewest_joined_cards_that_hold_all_layers(pairs, room, count):
    where = on([LinkSpec(a, b, "nvlink", 50) for a, b in pairs], *[10 * each for each in room])
    cards, order, chosen = given_by(by_layers(NVLINK, count=count, layer_mib=TEN), where)
    holding = [
        each
        for number in range(1, 6)
        for each in combinations([place for place in range(5) if room[place]], number)
        if joined_by_nvlink(where.links, each) and sum(room[place] for place in each) >= count
    ]
    if not holding:
        assert (cards, chosen) == (-1, [])
        assert order == (-2 if sum(room) >= count else -1)
        return
    fewest = min(map(len, holding))

    assert (cards, order) == (fewest, fewest)
    assert tuple(chosen) in [each for each in holding if len(each) == fewest]
