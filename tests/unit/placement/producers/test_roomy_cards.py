"""The roomiest cards first."""

from fractions import Fraction

import pytest

from bayplan.placement.asks.ask import CardRule, CardShape, Layers, Taking
from bayplan.placement.producers.roomy_cards import RoomyCards
from fleets import booking, share
from unit.placement.builders import ask, chosen, gpu, keeps_its_promises, worker
from unit.placement.producers.fitting import FITTING

KNOWN = CardRule(needs_memory=True)


def shares(count, need_mib, **others):
    shapes = (CardShape(count, need_mib),)
    return ask(**{"taking": Taking.SHARE, "shapes": shapes, "rule": KNOWN, **others})


def on(*sizes):
    return worker(cards=[gpu(number, memory_mib=mib) for number, mib in enumerate(sizes)])


ROOMY = {
    "the card with the most free memory": (shares(1, 10), [1]),
    "the first of equals": (shares(1, 10, overcommit=True), [1]),
    "two of them": (shares(2, 10), [1, 2]),
    "by layers as ever": (ask(taking=Taking.LAYERS, layers=Layers(3, Fraction(10), 0), rule=KNOWN), [0]),
    "nothing is asked": (ask(), []),
}


@pytest.mark.parametrize(("asked", "wanted"), ROOMY.values(), ids=ROOMY)
def test_the_roomiest_cards(asked, wanted):
    assert chosen(asked, on(30, 90, 50, 90), order="roomy", bookings=(booking("o", share(3, 50)),))[0] == wanted


def test_contract():
    workers = [on(90, 30, 40), on(10, 10, 20), on(80, 90, 5)]
    asks = [shares(1, 20), shares(2, 10), ask(), shares(1, 99, overcommit=True)]
    keeps_its_promises(RoomyCards(), workers, asks, made=FITTING)
