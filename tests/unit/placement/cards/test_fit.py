"""The first shape that a worker can give."""

from fractions import Fraction

import pytest

from bayplan.cluster.links import LinkSpec, Wiring, wire, wire_listed
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.cards.fit import UNFIT
from bayplan.placement.cards.layers.layer_cards import ORDER_CARDS
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, seen, worker

KNOWN = CardRule(needs_memory=True)
TWO_OR_FOUR = (CardShape(2, 50), CardShape(4, 25))


def shares(*shapes, **others):
    return ask(**{"taking": Taking.SHARE, "shapes": shapes, "rule": KNOWN, **others})


def cards(*sizes, **others):
    return [gpu(number, memory_mib=mib, **others) for number, mib in enumerate(sizes)]


def fit(asked, gpus, *booked):
    """Shape, order, rank and kind of what the worker gives."""
    bookings = (booking("other", *booked),) if booked else ()
    rows = seen(asked, worker(cards=gpus), bookings=bookings)
    return tuple(int(getattr(rows, name)[0]) for name in ("fit_shape", "fit_order", "fit_rank", "fit_leader"))


NOTHING = (UNFIT,) * 4

CASES = {
    "it fits": (shares(CardShape(1, 50)), cards(50), (0, 0, 0, 0)),
    "one MiB too little": (shares(CardShape(1, 51)), cards(50), NOTHING),
    "on the second card": (shares(CardShape(1, 50)), cards(40, 50), (0, 0, 0, 0)),
    "on two cards": (shares(CardShape(2, 50)), cards(50, 10, 60), (0, 0, 0, 0)),
    "not on two": (shares(CardShape(2, 50)), cards(50, 49), NOTHING),
    "more cards than there are": (shares(CardShape(3, 1)), cards(50, 50), NOTHING),
    "the first of two shapes": (shares(*TWO_OR_FOUR), cards(50, 50, 25, 25), (0, 0, 0, 0)),
    "the second of two shapes": (shares(*TWO_OR_FOUR), cards(50, 25, 25, 25), (1, 1, 0, 0)),
    "neither": (shares(*TWO_OR_FOUR), cards(50, 25, 25, 24), NOTHING),
    "one is too wide": (shares(*TWO_OR_FOUR), cards(50, 50), (0, 0, 0, 0)),
    "all are too wide": (shares(*TWO_OR_FOUR), cards(50), NOTHING),
    "nothing is asked": (ask(taking=Taking.NOTHING), cards(50), (0, 0, 0, 0)),
    "the need is not known": (shares(CardShape(1, 1), unknown="give weights"), cards(50), NOTHING),
    "whole": (ask(taking=Taking.WHOLE, shapes=(CardShape(2),)), cards(50, 60), (0, 0, 0, 0)),
    "by layers": (
        ask(taking=Taking.LAYERS, layers=Layers(10, Fraction(10), 0, partial=True), rule=KNOWN),
        cards(50, 25),
        (2, 3 * ORDER_CARDS + 2, 0, 0),
    ),
}


@pytest.mark.parametrize(("asked", "gpus", "wanted"), CASES.values(), ids=CASES)
def test_shapes(asked, gpus, wanted):
    assert fit(asked, gpus) == wanted


NVLINK, SOCKET = {"locality": Locality.NVLINK}, {"locality": Locality.SAME_SOCKET}
PAIRS = [gpu(number, memory_mib=50, numa=number // 2, pcie_gen=4) for number in range(4)]

LINKED = {
    "a pair": (shares(CardShape(2, 50), **NVLINK), (), (0, 0)),
    "no four are joined": (shares(CardShape(4, 25), **NVLINK), (), (UNFIT, -2)),
    "the first shape that is joined": (shares(CardShape(4, 25), CardShape(2, 50), **NVLINK), (), (1, 1)),
    "too few cards": (shares(CardShape(5, 1), **NVLINK), (), (UNFIT, UNFIT)),
    "too little memory": (shares(CardShape(2, 51), **NVLINK), (), (UNFIT, UNFIT)),
    "both pairs are broken": (shares(CardShape(2, 50), **NVLINK), (whole(0), whole(2)), (UNFIT, -2)),
    "no three on a socket": (shares(CardShape(3, 10), **SOCKET), (), (UNFIT, -2)),
    "a pair is too slow": (shares(CardShape(2, 50), min_bandwidth_gb_per_s=700.0), (), (UNFIT, -3)),
    "four are too slow": (shares(CardShape(4, 25), min_bandwidth_gb_per_s=600.0), (), (UNFIT, -3)),
    "PCIe will do": (shares(CardShape(4, 25), min_bandwidth_gb_per_s=32.0), (), (0, 0)),
    "neither joined nor fast": (shares(CardShape(4, 25), min_bandwidth_gb_per_s=600.0, **NVLINK), (), (UNFIT, -4)),
    "joined, but too slow": (shares(CardShape(2, 25), min_bandwidth_gb_per_s=700.0, **NVLINK), (), (UNFIT, -3)),
    "oversold": (shares(CardShape(2, 90), overcommit=True, **NVLINK), (), (0, 80)),
    "oversold, not joined": (shares(CardShape(4, 90), overcommit=True, **NVLINK), (), (UNFIT, -2)),
    "whole": (ask(taking=Taking.WHOLE, shapes=(CardShape(2),), **NVLINK), (), (0, 0)),
    "one card": (ask(taking=Taking.WHOLE, shapes=(CardShape(1),), **NVLINK), (), (0, 0)),
    "layers on a pair": (
        ask(taking=Taking.LAYERS, layers=Layers(10, Fraction(10), 0), rule=KNOWN, **NVLINK), (), (2, 2),
    ),
    "layers on four": (
        ask(taking=Taking.LAYERS, layers=Layers(11, Fraction(10), 0), rule=KNOWN, **NVLINK), (), (UNFIT, -2),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "booked", "wanted"), LINKED.values(), ids=LINKED)
def test_linked_as_the_ask_demands(asked, booked, wanted):
    bookings = (booking("other", *booked),) if booked else ()
    rows = seen(asked, worker(cards=PAIRS, links=wire(Wiring.NVLINK_PAIRS, PAIRS)), bookings=bookings)

    assert (int(rows.fit_shape[0]), int(rows.fit_order[0])) == wanted


def test_a_kind_that_is_linked_goes_before_one_that_is_not():
    gpus = [gpu(number, memory_mib=50 - 10 * (number > 1), model=f"M{number // 2}") for number in range(4)]
    asked = shares(CardShape(2, 30), **NVLINK)
    rows = seen(asked, worker(cards=gpus, links=wire_listed([LinkSpec(0, 1, "nvlink", 50)], gpus)))

    assert (int(rows.fit_order[0]), int(rows.fit_leader[0])) == (0, 0)


A100, H100 = {"model": "A100-SXM4-40GB"}, {"model": "H100-SXM5-80GB"}
MIXED = [gpu(0, memory_mib=40, **A100), gpu(1, memory_mib=80, **H100), gpu(2, memory_mib=40, **A100)]

MIXES = {
    "cards of one replica are of one kind": (shares(CardShape(3, 1)), NOTHING),
    "unless the engine mixes": (
        shares(CardShape(3, 1), rule=CardRule(needs_memory=True, mixes_models=True)),
        (0, 0, 0, 0),
    ),
    "the only kind that fits": (shares(CardShape(1, 80)), (0, 0, 0, 1)),
    "the smaller kind of two that do": (shares(CardShape(1, 40)), (0, 0, 0, 0)),
    "the preferred kind": (
        shares(CardShape(1, 40), rule=CardRule(models=("H100", "A100"), needs_memory=True)),
        (0, 0, 0, 1),
    ),
    "preference before fewer cards": (
        shares(CardShape(1, 80), CardShape(2, 40), rule=CardRule(models=("A100", "H100"), needs_memory=True)),
        (1, 1, 0, 0),
    ),
    "fewer cards before the smaller kind": (shares(CardShape(1, 80), CardShape(2, 40)), (0, 0, 0, 1)),
    "the second choice where the first does not fit": (
        shares(CardShape(1, 80), rule=CardRule(models=("A100", "H100"), needs_memory=True)),
        (0, 0, 1, 1),
    ),
}


@pytest.mark.parametrize(("asked", "wanted"), MIXES.values(), ids=MIXES)
def test_kinds(asked, wanted):
    assert fit(asked, MIXED) == wanted


def oversold(*shapes, **others):
    return shares(*shapes, overcommit=True, **others)


HALF = Fit(Fraction(1, 2), FractionOf.CARD)

OVERSOLD = {
    "by how much": (oversold(CardShape(1, 60)), cards(50), (), (0, 10)),
    "on the freest card": (oversold(CardShape(1, 60)), cards(50, 55), (), (0, 5)),
    "one that oversells less": (oversold(CardShape(1, 80), CardShape(2, 40)), cards(50, 35), (), (1, 5)),
    "the first of equals": (oversold(CardShape(1, 60), CardShape(2, 55)), cards(50, 50), (), (0, 10)),
    "what a flag takes": (oversold(CardShape(1, 20), fit=HALF), cards(100), (share(0, 70),), (0, 20)),
    "more than a flag allows": (oversold(CardShape(1, 51), fit=HALF), cards(100), (), (UNFIT, UNFIT)),
    "not what somebody holds whole": (oversold(CardShape(1, 20)), cards(100), (whole(0),), (UNFIT, UNFIT)),
    "too few cards": (oversold(CardShape(2, 20)), cards(100), (), (UNFIT, UNFIT)),
}


@pytest.mark.parametrize(("asked", "gpus", "booked", "wanted"), OVERSOLD.values(), ids=OVERSOLD)
def test_the_shape_that_oversells_least(asked, gpus, booked, wanted):
    assert fit(asked, gpus, *booked)[:2] == wanted


@pytest.mark.parametrize("asked", [shares(CardShape(1, 1)), ask(taking=Taking.WHOLE, shapes=(CardShape(1),))])
def test_a_cluster_without_any_card(asked):
    assert fit(asked, []) == NOTHING
