"""The cards with the fewest replicas first."""

import pytest

from bayplan.placement.asks.ask import CardRule, CardShape, Taking
from bayplan.placement.asks.siblings import Siblings
from bayplan.placement.producers.even_cards import EvenCards
from fleets import booking, share
from unit.placement.builders import ask, chosen, gpu, hash_of, keeps_its_promises, subject, worker
from unit.placement.producers.fitting import FITTING

KNOWN = CardRule(needs_memory=True)


def shares(count, need_mib, **others):
    shapes = (CardShape(count, need_mib),)
    return ask(**{"taking": Taking.SHARE, "shapes": shapes, "rule": KNOWN, **others})


def on(*sizes):
    return worker(cards=[gpu(number, memory_mib=mib) for number, mib in enumerate(sizes)])


def even(asked, where, *, bookings=(), mine=None):
    siblings = Siblings.of({hash_of("a"): (1, mine)} if mine else {})
    return chosen(asked, where, bookings=bookings, order="even", who=subject(siblings=siblings))[0]


OTHERS = (booking("o", share(0, 1)), booking("p", share(0, 1)), booking("mine", share(1, 1)))


EVEN = {
    "the first of equals, whatever is free": (shares(1, 10), on(90, 50), (), None, [0]),
    "the card without replicas": (shares(1, 10), on(90, 90, 90), OTHERS, {1: 1}, [2]),
    "two others count less than one of the same": (shares(2, 10), on(90, 90, 90), OTHERS, {1: 1}, [0, 2]),
    "only cards that fit": (shares(1, 10), on(90, 90, 5), OTHERS, {1: 1}, [0]),
    "the freest where cards are oversold": (shares(1, 99, overcommit=True), on(80, 90), (), None, [1]),
    "nothing is asked": (ask(), on(90), (), None, []),
}


@pytest.mark.parametrize(("asked", "where", "bookings", "mine", "wanted"), EVEN.values(), ids=EVEN)
def test_the_least_used_cards(asked, where, bookings, mine, wanted):
    assert even(asked, where, bookings=bookings, mine=mine) == wanted


def test_contract():
    workers = [on(90, 30, 40), on(10, 10, 20), on(80, 90, 5)]
    asks = [shares(1, 20), shares(2, 10), ask(), shares(1, 99, overcommit=True)]
    keeps_its_promises(EvenCards(), workers, asks, made=FITTING)
