"""How much of a card may be taken: what is free, what a flag takes, what may be oversold."""

from fractions import Fraction

import pytest

from bayplan.placement.ask import CardRule, CardShape, Fit, FractionOf, Taking
from bayplan.placement.cards.room import BOUNDLESS, NO_ROOM, booked_mib, budget_mib, room_of
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, seen, worker

KNOWN = CardRule(needs_memory=True)
HALF = Fit(Fraction(1, 2), FractionOf.CARD, overhead_mib=7)
STATIC = Fit(Fraction(1, 2), FractionOf.STATIC, overhead_mib=7)


def shares(**others):
    return ask(**{"taking": Taking.SHARE, "shapes": (CardShape(1, 1),), "rule": KNOWN, **others})


def room(asked, card, *cards, **others):
    bookings = (booking("other", *cards),) if cards else ()
    return int(room_of(asked, seen(asked, worker(cards=[card], **others), bookings=bookings))[0, 0])


CASES = {
    "all of it": (shares(), [gpu(memory_mib=100)], 100),
    "what is left": (shares(), [gpu(memory_mib=100), share(0, 30)], 70),
    "nothing is left": (shares(), [gpu(memory_mib=100), share(0, 100)], 0),
    "held whole": (shares(), [gpu(memory_mib=100), whole()], NO_ROOM),
    "unhealthy": (shares(), [gpu(memory_mib=100, healthy=False)], NO_ROOM),
    "not known": (shares(), [gpu(memory_mib=None)], NO_ROOM),
    "not known, not asked for": (shares(rule=CardRule(), compute_milli=1), [gpu(memory_mib=None)], 0),
    "too little compute": (shares(compute_milli=501), [gpu(memory_mib=100), share(0, 1, 500)], NO_ROOM),
    "just enough compute": (shares(compute_milli=500), [gpu(memory_mib=100), share(0, 1, 500)], 99),
    "compute of a card held whole": (shares(rule=CardRule(), compute_milli=1), [gpu(), whole()], NO_ROOM),
    "whole": (ask(taking=Taking.WHOLE, shapes=(CardShape(1),)), [gpu(memory_mib=100)], 100),
    "whole, of a size nobody told": (ask(taking=Taking.WHOLE, shapes=(CardShape(1),)), [gpu(memory_mib=None)], 0),
    "whole, but shared": (
        ask(taking=Taking.WHOLE, shapes=(CardShape(1),)),
        [gpu(memory_mib=100), share(0, 1)],
        NO_ROOM,
    ),
    "half is free": (shares(fit=HALF), [gpu(memory_mib=101), share(0, 50)], 50),
    "half is not free": (shares(fit=HALF), [gpu(memory_mib=101), share(0, 51)], NO_ROOM),
    "half, and the engine on top": (shares(fit=STATIC), [gpu(memory_mib=101), share(0, 43)], 57),
    "half, but not the engine": (shares(fit=STATIC), [gpu(memory_mib=101), share(0, 44)], NO_ROOM),
    "oversold": (shares(overcommit=True), [gpu(memory_mib=100), share(0, 100)], BOUNDLESS),
    "oversold within a flag": (shares(overcommit=True, fit=HALF), [gpu(memory_mib=100), share(0, 100)], 50),
    "held whole cannot be oversold": (shares(overcommit=True), [gpu(memory_mib=100), whole()], NO_ROOM),
    "not known cannot be oversold": (shares(overcommit=True), [gpu(memory_mib=None)], NO_ROOM),
    "compute is not oversold": (
        shares(overcommit=True, compute_milli=501),
        [gpu(memory_mib=100), share(0, 1, 500)],
        NO_ROOM,
    ),
}


@pytest.mark.parametrize(("asked", "card", "mib"), CASES.values(), ids=CASES)
def test_room(asked, card, mib):
    assert room(asked, *card) == mib


def test_what_is_kept_back_and_what_others_use_is_no_room():
    assert room(shares(), gpu(memory_mib=100, observed_used_mib=30), reserved_gpu_memory_mib=10) == 60
    assert room(shares(), gpu(memory_mib=100, observed_used_mib=30), share(0, 20)) == 70


BOOKED = {
    "the need": (None, 40, 101, 40),
    "rounded up": (HALF, 40, 101, 51),
    "and the engine": (STATIC, 40, 101, 58),
    "never more than the card": (Fit(Fraction(1), FractionOf.STATIC, 7), 40, 101, 101),
}


@pytest.mark.parametrize(("fit", "need_mib", "memory_mib", "mib"), BOOKED.values(), ids=BOOKED)
def test_what_is_booked(fit, need_mib, memory_mib, mib):
    assert booked_mib(shares(fit=fit), need_mib, memory_mib) == mib


@pytest.mark.parametrize(("fit", "mib"), [(HALF, 50), (STATIC, 57)])
def test_what_a_flag_leaves_to_the_model(fit, mib):
    assert budget_mib(fit, 101) == mib
