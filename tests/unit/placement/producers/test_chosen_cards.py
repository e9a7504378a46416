"""Which cards a worker gives: the tightest that fit, or cards that leave room for copies."""

from fractions import Fraction
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Layers, Taking
from bayplan.placement.producers.chosen_cards import ChosenCards
from fleets import booking, share
from unit.placement.builders import ask, chosen, gpu, keeps_its_promises, worker
from unit.placement.producers.fitting import FITTING

KNOWN = CardRule(needs_memory=True)


def shares(count, need_mib, **others):
    shapes = (CardShape(count, need_mib),)
    return ask(**{"taking": Taking.SHARE, "shapes": shapes, "rule": KNOWN, **others})


def on(*sizes):
    return worker(cards=[gpu(number, memory_mib=mib) for number, mib in enumerate(sizes)])


HALF = Fit(Fraction(1, 2), FractionOf.CARD)

TIGHT = {
    "the tightest card": (shares(1, 20), on(90, 30, 40), ([1], 20 / 30)),
    "that fits": (shares(1, 35), on(90, 30, 40), ([2], 35 / 40)),
    "equals by position": (shares(1, 20), on(40, 40), ([0], 0.5)),
    "the tightest two": (shares(2, 20), on(90, 30, 10, 40), ([1, 3], 20 / 30)),
    "nothing fits": (shares(1, 91), on(90, 30), ([], 0.0)),
    "nothing is asked": (ask(), on(90), ([], 0.0)),
    "the need is not known": (shares(1, 1, unknown="give weights"), on(90), ([], 0.0)),
    "whole cards are full": (ask(taking=Taking.WHOLE, shapes=(CardShape(2),)), on(90, 30, 40), ([1, 2], 1.0)),
    "the need counts, not what a flag books": (shares(1, 20, fit=HALF), on(100, 80), ([1], 0.25)),
    "the freest where cards are oversold": (shares(1, 95, overcommit=True), on(80, 90), ([1], 1.0)),
    "no memory is asked, so compute counts": (
        shares(1, 0, rule=CardRule(), compute_milli=10), on(90, 30), ([1], 10 / 1000)),
    "by layers": (
        ask(taking=Taking.LAYERS, layers=Layers(6, Fraction(10), 0), rule=KNOWN),
        on(50, 25, 40),
        ([1, 2], 1.0),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "where", "wanted"), TIGHT.values(), ids=TIGHT)
def test_the_least_free_cards_that_fit(asked, where, wanted):
    cards, full = chosen(asked, where)

    assert cards == wanted[0]
    assert full == pytest.approx(wanted[1], abs=1e-5)


def test_where_only_compute_is_asked_the_card_with_the_least_of_it_is_tightest():
    held = (booking("o", share(0, compute_milli=600)),)

    assert chosen(shares(1, 0, rule=CardRule(), compute_milli=100), on(90, 30), bookings=held) == ([0], 0.25)
    assert chosen(shares(1, 0, rule=CardRule(), compute_milli=500), on(90, 30), bookings=held) == ([1], 0.5)


def test_what_is_booked_makes_a_card_tighter():
    assert chosen(shares(1, 20), on(90, 80), bookings=(booking("o", share(0, 60)),)) == ([0], pytest.approx(20 / 30))


COPIES = {
    "alone: the least free": (1, [10, 10, 20], [0, 1]),
    "two copies need the large card twice": (2, [10, 10, 20], [0, 2]),
    "room for one only: the least free": (2, [10, 10], [0, 1]),
    "no more than are to come": (2, [10, 20, 30, 40], [0, 1]),
    "all the copies that fit": (9, [10, 20, 30], [0, 2]),
}


@pytest.mark.parametrize(("copies", "sizes", "wanted"), COPIES.values(), ids=COPIES)
def test_room_for_further_copies_goes_first(copies, sizes, wanted):
    assert chosen(shares(2, 10, copies=copies), on(*sizes))[0] == wanted


def test_copies_share_compute_too():
    """By memory the two small cards would do; by compute each card but the first holds one copy."""
    asked = shares(2, 0, rule=CardRule(), compute_milli=500, copies=2)
    used = booking("o", share(1, 1, 500), share(2, 1, 500))

    assert chosen(asked, on(90, 50, 50), bookings=(used,))[0] == [0, 1]


@cache
def most_copies(slots, count):
    """The most copies of so many cards each, by trying every set of cards for each of them."""
    sets = combinations([place for place, left in enumerate(slots) if left], count)
    after = {tuple(sorted(left - (place in cards) for place, left in enumerate(slots))) for cards in sets}
    return max((1 + most_copies(each, count) for each in after), default=0)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.integers(2, 4), st.integers(2, 6))
def test_no_choice_leaves_room_for_more_copies(slots, count, copies):
    cards, _ = chosen(shares(count, 10, copies=copies), on(*[10 * each + 3 for each in slots]))
    possible = min(copies, most_copies(tuple(sorted(slots)), count))
    if not possible:
        assert cards == []
        return
    left = tuple(sorted(each - (place in cards) for place, each in enumerate(slots)))

    assert len(cards) == count
    assert 1 + most_copies(left, count) >= possible


@given(st.lists(st.integers(0, 4), min_size=2, max_size=5), st.integers(2, 3), st.integers(2, 5))
def test_of_such_choices_the_one_with_the_least_free_memory(slots, count, copies):
    cards, _ = chosen(shares(count, 10, copies=copies), on(*[10 * each + 3 for each in slots]))
    possible = min(copies, most_copies(tuple(sorted(slots)), count))
    usable = [place for place, each in enumerate(slots) if each]
    sparing = [
        sum(slots[place] for place in each)
        for each in combinations(usable, count)
        if 1 + most_copies(tuple(sorted(left - (place in each) for place, left in enumerate(slots))), count) >= possible
    ]

    assert sum(slots[place] for place in cards) == min(sparing, default=0)


def test_contract():
    workers = [on(90, 30, 40), on(10, 10, 20), on(80, 90, 5)]
    asks = [shares(1, 20), shares(2, 10), shares(2, 10, copies=2), ask(), shares(1, 99, overcommit=True)]
    keeps_its_promises(ChosenCards(), workers, asks, made=FITTING)


def test_of_whole_cards_the_worker_with_fewer_idle_ones_left_is_fuller():
    asked = ask(taking=Taking.WHOLE, shapes=(CardShape(2),))

    assert chosen(asked, on(90, 90))[1] == 1.0
    assert chosen(asked, on(90, 90, 90))[1] > chosen(asked, on(90, 90, 90, 90))[1] > 0.9999
