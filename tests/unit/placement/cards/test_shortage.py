"""What refused workers lack is worked out for all of them at once, as for each of them alone."""

from fractions import Fraction

import pytest

from bayplan.placement.asks.ask import CardRule, CardShape, Layers, Taking
from bayplan.placement.cards.shortage import least_demand
from bayplan.placement.filters.gpu_fit import GpuFit
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, judge, verdicts, worker

KNOWN = CardRule(needs_memory=True)
TWO_OR_FOUR = (CardShape(4, 25), CardShape(2, 50))

DEMANDS = {
    "nothing": (ask(), CardShape(1)),
    "the shape with the fewest cards": (ask(shapes=TWO_OR_FOUR), CardShape(2, 50)),
    "layers": (ask(layers=Layers(10, Fraction(10), 5)), CardShape(1, 15)),
    "layers on so many cards": (ask(layers=Layers(10, Fraction(10), 5, cards=3)), CardShape(3, 15)),
}


@pytest.mark.parametrize(("asked", "wanted"), DEMANDS.values(), ids=DEMANDS)
def test_the_least_that_is_asked(asked, wanted):
    assert least_demand(asked) == wanted


def cards(*sizes, model="A100-SXM4-40GB", **others):
    return [gpu(number, memory_mib=mib, model=model, **others) for number, mib in enumerate(sizes)]


WORKERS = [
    worker("none"),
    worker("narrow", cards=cards(90)),
    worker("small", cards=cards(40, 30, 20)),
    worker("mixed", cards=[*cards(40, 40), gpu(2, model="H100-SXM5-80GB", memory_mib=45)]),
    worker("unsized", cards=cards(None, None)),
    worker("ill", cards=cards(90, 90, healthy=False)),
    worker("other", cards=cards(90, 90, model="L40S")),
    worker("used", cards=cards(90, 90)),
    worker("held", cards=cards(90, 90)),
]
BOOKED = (
    booking("o", share(0, 50, 900), share(1, 45, 900), on="used"),
    booking("o", whole(0), on="held"),
)
ASKS = {
    "shares": ask(taking=Taking.SHARE, shapes=(CardShape(2, 50),), rule=KNOWN),
    "shares and compute": ask(taking=Taking.SHARE, shapes=(CardShape(2, 40),), rule=KNOWN, compute_milli=500),
    "whole cards": ask(taking=Taking.WHOLE, shapes=(CardShape(3),)),
    "of a model": ask(
        taking=Taking.SHARE, shapes=(CardShape(2, 50),), rule=CardRule(("A100", "H100"), needs_memory=True)
    ),
    "of a size": ask(taking=Taking.WHOLE, shapes=(CardShape(2),), rule=CardRule(card_memory_mib=60)),
    "layers": ask(taking=Taking.LAYERS, layers=Layers(30, Fraction(10), 5), rule=KNOWN),
}


@pytest.mark.parametrize("asked", ASKS.values(), ids=ASKS)
def test_together_as_alone(asked):
    together = verdicts(GpuFit(), asked, *WORKERS, bookings=BOOKED)
    alone = {
        each.name: judge(GpuFit(), asked, each, bookings=[one for one in BOOKED if one.worker == each.name])
        for each in WORKERS
    }

    assert {name: shown(verdict) for name, verdict in together.items()} == {
        name: shown(verdict) for name, verdict in alone.items()
    }


def shown(verdict):
    return verdict.code and (verdict.as_dict(), verdict.message)


def test_a_share_of_0_mib_of_a_card_that_is_held_whole_lacks_a_card():
    asked = ask(taking=Taking.SHARE, shapes=(CardShape(1, 0),), rule=KNOWN)
    verdict = judge(GpuFit(), asked, worker("held", cards=cards(40)), bookings=BOOKED[1:])

    assert (verdict.code, verdict.as_dict()["needed"], verdict.as_dict()["free"]) == ("gpu-count-short", 1, 0)
