"""Equal asks are one class; layers are counted as whole layers and whole MiB."""

from fractions import Fraction

import numpy as np
import pytest

from bayplan.cluster.workload import Locality
from bayplan.placement.asks.ask import Ask, CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.asks.tier import Tier


def test_equal_asks_are_one_class():
    one, other = (Ask(taking=Taking.SHARE, shapes=(CardShape(2, 100, tp=2),), ram_mib=5) for _ in range(2))

    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1


DIFFERENT = {
    "tier": {"tier": Tier.CPU},
    "shapes": {"shapes": (CardShape(1, 2),)},
    "models": {"rule": CardRule(models=("A100",))},
    "a flag": {"fit": Fit(Fraction(9, 10), FractionOf.CARD)},
    "0 of RAM is not none": {"ram_mib": 0},
    "copies": {"copies": 2},
    "leave to oversell": {"overcommit": True},
    "what is unknown": {"unknown": "give model.weights"},
}


@pytest.mark.parametrize("others", DIFFERENT.values(), ids=DIFFERENT)
def test_asks_that_differ_in_anything_are_two(others):
    assert Ask() != Ask(**others)
    assert len({Ask(), Ask(**others)}) == 2


def test_shapes_as_columns():
    asked = Ask(shapes=(CardShape(2, 500), CardShape(4, 250)))

    assert asked.card_counts.tolist() == [2, 4]
    assert asked.needs_mib.tolist() == [500, 250]


ONE, TWO = (CardShape(1, 100),), (CardShape(2, 100),)
KNOWN = CardRule(needs_memory=True)

QUICK = {
    "a share of one card": ({"taking": Taking.SHARE, "shapes": ONE, "rule": KNOWN}, True),
    "whole cards": ({"taking": Taking.WHOLE, "shapes": TWO}, True),
    "shares of two cards": ({"taking": Taking.SHARE, "shapes": TWO, "rule": KNOWN}, False),
    "one card in two ways": ({"taking": Taking.SHARE, "shapes": ONE * 2, "rule": KNOWN}, False),
    "compute too": ({"taking": Taking.SHARE, "shapes": ONE, "rule": KNOWN, "compute_milli": 1}, False),
    "neither memory nor compute": ({"taking": Taking.SHARE, "shapes": ONE}, False),
    "compute alone": ({"taking": Taking.SHARE, "shapes": ONE, "compute_milli": 1}, True),
    "compute of two cards": ({"taking": Taking.SHARE, "shapes": TWO, "compute_milli": 1}, False),
    "a flag": (
        {"taking": Taking.SHARE, "shapes": ONE, "rule": KNOWN, "fit": Fit(Fraction(1), FractionOf.CARD)},
        False,
    ),
    "an order of preference": ({"taking": Taking.WHOLE, "shapes": ONE, "rule": CardRule(models=("a", "b"))}, False),
    "one model": ({"taking": Taking.WHOLE, "shapes": ONE, "rule": CardRule(models=("a",))}, True),
    "over workers": ({"taking": Taking.WHOLE, "shapes": ONE, "spans": True}, False),
    "oversold": ({"taking": Taking.SHARE, "shapes": ONE, "rule": KNOWN, "overcommit": True}, False),
    "no cards": ({"taking": Taking.NOTHING}, False),
    "whole cards that are linked": ({"taking": Taking.WHOLE, "shapes": TWO, "locality": Locality.NVLINK}, True),
}


@pytest.mark.parametrize(("fields", "quick"), QUICK.values(), ids=QUICK)
def test_quick_asks_are_those_that_need_only_counting(fields, quick):
    assert Ask(**fields).quick is quick


LAYERS = Layers(count=10, layer_mib=Fraction(1001, 10), overhead_mib=50)

ROOM = {
    "less than the engine": (49, 0),
    "the engine alone": (50, 0),
    "almost a layer": (150, 0),
    "a layer": (151, 1),
    "no more than there are": (1 << 30, 10),
    "a card whose size nobody told": (-1, 0),
}


@pytest.mark.parametrize(("free_mib", "layers"), ROOM.values(), ids=ROOM)
def test_how_many_layers_a_card_holds(free_mib, layers):
    assert LAYERS.room_for(free_mib) == layers


@pytest.mark.parametrize(
    ("layers", "card_mib", "host_mib"), [(0, 50, 0), (1, 151, 101), (3, 351, 301), (10, 1051, 1001)]
)
def test_what_layers_take_is_rounded_up(layers, card_mib, host_mib):
    assert LAYERS.card_mib(layers) == card_mib
    assert LAYERS.host_mib(layers) == host_mib


@pytest.mark.parametrize("layers", range(11))
def test_layers_fit_where_they_have_room(layers):
    assert LAYERS.room_for(LAYERS.card_mib(layers)) == layers


FREE = [[-1, 0, 7, 8, 100], [26, 27, 28, 10**9, 2**40]]


@pytest.mark.parametrize("layer_mib", [Fraction(10), Fraction(10, 3), Fraction(1, 1 << 20), Fraction(7, (1 << 61) + 1)])
def test_rooms_of_many_cards_are_those_of_each(layer_mib):
    layers = Layers(40, layer_mib, 7)

    assert layers.rooms_for(np.array(FREE)).tolist() == [[layers.room_for(free) for free in row] for row in FREE]
