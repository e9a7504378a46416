"""What cannot change an answer is not in the ask; copies count only as far as they matter."""

from fractions import Fraction

import pytest

from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.asks.normal_form import alike
from unit.placement.builders import ask, worker

EIGHT = Snapshot.load((worker(cards=8), worker("b", cards=2)), ())
MIXING = CardRule(models=("A", "B"), mixes_models=True, needs_memory=True)
MEMORY = CardRule(needs_memory=True)
HALF = Fit(Fraction(1, 2), FractionOf.CARD)


def share(*shapes, rule=MEMORY, **others):
    return ask(taking=Taking.SHARE, shapes=tuple(CardShape(*each) for each in shapes), rule=rule, **others)


def wholes(count, **others):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(count),), **others)


def normal(asked, copies=1):
    return alike(asked, EIGHT, copies, 8)


def test_one_card_is_no_mixture():
    assert not normal(share((1, 9), rule=MIXING)).rule.mixes_models
    assert normal(share((1, 9), (2, 5), rule=MIXING)).rule.mixes_models


NEAR = {
    "one card": (wholes(1, locality=Locality.NVLINK), False),
    "several cards": (wholes(2, locality=Locality.NVLINK), True),
    "over several workers": (wholes(2, locality=Locality.NVLINK, spans=True), False),
    "layers": (ask(taking=Taking.LAYERS, layers=Layers(2, 9, 0), locality=Locality.NVLINK), True),
}


@pytest.mark.parametrize(("asked", "kept"), NEAR.values(), ids=NEAR)
def test_nearness_matters_between_cards_of_one_worker(asked, kept):
    assert (normal(asked).locality is not None) is kept


COPIES = {
    "one card": (share((1, 9)), 1),
    "shares of several": (share((2, 20_000)), 8 * 2 // 2),
    "never more than there are": (share((2, 1)), 50),
    "of the shape with the fewest cards": (share((1, 20_480), (2, 10_240), (4, 5_120)), 8 * 8 // 2),
    "a fraction of each card": (share((2, 9), fit=HALF), 8 * 2 // 2),
    "compute": (share((2, 0), rule=CardRule(), compute_milli=300), 8 * 3 // 2),
    "whole cards, linked": (wholes(2, locality=Locality.NVLINK), 4),
    "whole cards, fast": (wholes(3, min_bandwidth_gb_per_s=9.0), 2),
    "whole cards of a socket": (wholes(2, locality=Locality.SAME_SOCKET), 1),
    "whole cards": (wholes(2), 1),
    "layers": (ask(taking=Taking.LAYERS, layers=Layers(2, 9, 0)), 1),
    "over several workers": (share((2, 20_000), spans=True), 1),
    "oversold": (share((2, 20_000), overcommit=True), 1),
}


@pytest.mark.parametrize(("asked", "wanted"), COPIES.values(), ids=COPIES)
def test_copies(asked, wanted):
    assert normal(asked, copies=50).copies == wanted
    assert normal(asked).copies == 1
