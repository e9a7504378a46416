"""The first shape that a worker can give."""

from fractions import Fraction

import pytest

from bayplan.placement.ask import CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.layer_cards import ORDER_CARDS
from bayplan.placement.producers.card_fit import UNFIT, CardFit
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, keeps_its_promises, seen, worker

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


def test_contract():
    workers = [worker(cards=gpus) for gpus in (MIXED, cards(50, 50), cards(100), cards(), cards(25, 25, 25, 25))]
    ranks = [[0, 0, 0, -1], [0, 0, -1, -1], [0, -1, -1, -1], [-1] * 4, [0] * 4]
    leaders = [[0, 1, 0, 0], [0, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4]
    made = {"card_rank": ranks, "card_leader": leaders, "card_kinds": [2, 1, 1, 0, 1]}
    asks = [asked for asked, *_ in (*CASES.values(), *MIXES.values(), *OVERSOLD.values())]
    keeps_its_promises(CardFit(), workers, asks, made=made)
