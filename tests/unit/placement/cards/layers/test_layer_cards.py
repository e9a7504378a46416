"""Layers over cards: how many cards, which, and how many layers on each."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bayplan.placement.asks.ask import Layers, Taking
from bayplan.placement.cards.layers.layer_cards import MOST_SETS, ORDER_CARDS, choose, fullness, layer_fits, shares
from unit.placement.builders import ask


def layers(count=10, *, mib=10, overhead=5, **others):
    return Layers(count, Fraction(mib), overhead, **others)


def fits(what, *rows):
    width = max(map(len, rows))
    room = np.array([[*row, *[-1] * (width - len(row))] for row in rows], np.int64)
    cards, order = layer_fits(ask(taking=Taking.LAYERS, layers=what), room)
    return list(zip(cards.tolist(), order.tolist(), strict=True))


UNFIT = (-1, -1)

FITS = {
    "one card": (layers(), [105], (1, 1)),
    "one MiB too little": (layers(), [104], UNFIT),
    "two cards, each with its engine": (layers(), [55, 55], (2, 2)),
    "parts of layers do not count": (layers(), [64, 54], UNFIT),
    "the largest first": (layers(), [35, 35, 85], (2, 2)),
    "no cards": (layers(), [-1], UNFIT),
    "some layers stay": (layers(partial=True), [55, 25], (2, 3 * ORDER_CARDS + 2)),
    "cards without room are not taken": (layers(partial=True), [55, 14], (1, 5 * ORDER_CARDS + 1)),
    "no layer at all": (layers(partial=True), [14, 14], UNFIT),
    "all of them after all": (layers(partial=True), [55, 55], (2, 2)),
    "so many cards as are asked for": (layers(cards=2), [105, 105, 105], (2, 2)),
    "fewer than are asked for": (layers(cards=3), [105, 105], UNFIT),
    "so many, but too small": (layers(cards=2), [45, 45, 45], UNFIT),
}


@pytest.mark.parametrize(("what", "room", "wanted"), FITS.values(), ids=FITS)
def test_how_many_cards(what, room, wanted):
    assert fits(what, room) == [wanted]


def test_rows_are_answered_each_by_itself():
    assert fits(layers(), [105, 0], [55, 55], [0, 105], [1, 1]) == [(1, 1), (2, 2), (1, 1), UNFIT]


ROOM = st.lists(st.integers(0, 60), min_size=1, max_size=7)


@given(ROOM, st.integers(1, 30), st.integers(0, 6))
def test_the_least_free_set_of_the_fewest_cards(free, count, overhead):
    """Every set is tried here; ties are free."""
    what = layers(count, mib=2, overhead=overhead, partial=True)
    ((number, _),) = fits(what, free)
    if number < 0:
        assert not any(map(what.room_for, free))
        return
    possible = [place for place, amount in enumerate(free) if what.room_for(amount)]
    sets = [each for size in range(1, len(possible) + 1) for each in combinations(possible, size)]
    wanted = min(count, sum(map(what.room_for, free)))
    enough = [each for each in sets if sum(what.room_for(free[place]) for place in each) >= wanted]
    chosen = choose(what, free, number)

    assert number == min(map(len, enough))
    assert tuple(chosen) in enough
    assert sum(free[place] for place in chosen) == min(
        sum(free[place] for place in each) for each in enough if len(each) == number
    )


def test_workers_with_many_cards_are_not_searched_through():
    """The tightest run is 9, 10, 11, 12; of the cards below it 7 is the smallest that is still enough."""
    free = [10 * number for number in range(1, 17)]

    assert comb(16, 4) > MOST_SETS
    assert choose(layers(40, overhead=0), free, 4) == [6, 9, 10, 11]
    assert choose(layers(16 + 15 + 14 + 13, overhead=0), free, 4) == [12, 13, 14, 15]


SHARES = {
    "in proportion": (layers(), [105, 105], [5, 5]),
    "what is free without the engine counts": (layers(9), [65, 35], [6, 3]),
    "rests go to the largest rest": (layers(10), [75, 45], [6, 4]),
    "never more than there is room for": (layers(10), [19, 105], [1, 9]),
    "every card gets one": (layers(4, overhead=0), [1000, 10], [3, 1]),
    "fewer layers than cards": (layers(1), [105, 105], [1, 0]),
    "some layers stay": (layers(partial=True), [55, 25], [5, 2]),
}


@pytest.mark.parametrize(("what", "free", "wanted"), SHARES.values(), ids=SHARES)
def test_how_many_layers_on_each(what, free, wanted):
    assert shares(what, free) == wanted


@given(ROOM, st.integers(1, 40))
def test_shares_fill_what_fits_and_oversell_nothing(free, count):
    what = layers(count, mib=3, overhead=2)
    usable = [amount for amount in free if what.room_for(amount)]
    if not usable:
        return
    held = shares(what, usable)

    assert sum(held) == min(count, sum(map(what.room_for, usable)))
    assert all(what.card_mib(number) <= amount for number, amount in zip(held, usable, strict=True) if number)


FULLNESS = {
    "all of it": (layers(10), [105], 1.0),
    "half of it": (layers(5), [110], 0.5),
    "the fullest card counts": (layers(9), [105, 30], 25 / 30),
    "in any order": (layers(9), [30, 105], 25 / 30),
    "no cards": (layers(1), [], 0.0),
}


@pytest.mark.parametrize(("what", "free", "wanted"), FULLNESS.values(), ids=FULLNESS)
def test_how_full_the_fullest_card_would_be(what, free, wanted):
    assert fullness(what, free) == pytest.approx(wanted)
