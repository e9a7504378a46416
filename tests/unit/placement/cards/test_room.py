"""How much of a card may be taken: what is free, what a flag takes, what may be oversold."""

from fractions import Fraction

import pytest

from bayplan.placement.asks.ask import CardRule, CardShape, Fit, FractionOf, Taking
from bayplan.placement.asks.booked_memory import booked_mib, budget_mib
from bayplan.placement.cards.room import BOUNDLESS, NO_ROOM, holds, room_of
from fleets import booking, share, whole
from unit.placement.builders import ask, gpu, seen, worker

KNOWN = CardRule(needs_memory=True)
HALF, STATIC = Fit(Fraction(1, 2), FractionOf.CARD), Fit(Fraction(1, 2), FractionOf.STATIC)


def shares(**others):
    return ask(**{"taking": Taking.SHARE, "shapes": (CardShape(1, 1),), "rule": KNOWN, **others})


def whole_for(need_mib):
    return ask(taking=Taking.WHOLE, shapes=(CardShape(1, need_mib),), rule=KNOWN)


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
    "whole, for an engine": (whole_for(50), [gpu(memory_mib=100, observed_used_mib=5)], 95),
    "whole, for an engine, of a size nobody told": (whole_for(50), [gpu(memory_mib=None)], NO_ROOM),
    "oversold": (shares(overcommit=True), [gpu(memory_mib=100), share(0, 100)], BOUNDLESS),
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


HELD = {  # fit, what the shape puts on a card, room, size
    "the need and its headroom":         (None, {"need_mib": 40, "headroom_mib": 8}, 48, 101, True),
    "the need without its headroom":     (None, {"need_mib": 40, "headroom_mib": 8}, 47, 101, False),
    "half is free, and enough":          (HALF, {"need_mib": 50}, 51, 101, True),
    "half is free, and too little":      (HALF, {"need_mib": 51}, 101, 101, False),
    "half is not free":                  (HALF, {"need_mib": 1}, 50, 101, False),
    "half, and the engine on top":       (STATIC, {"need_mib": 57, "overhead_mib": 7}, 58, 101, True),
    "half, but not the engine":          (STATIC, {"need_mib": 57, "overhead_mib": 7}, 57, 101, False),
    "half of what is left":              (STATIC, {"need_mib": 52, "overhead_mib": 7, "gone_mib": 10}, 53, 101, True),
    "more than half of what is left":    (STATIC, {"need_mib": 53, "overhead_mib": 7, "gone_mib": 10}, 101, 101, False),
    "a size that nobody told":           (STATIC, {"need_mib": 0, "gone_mib": 10}, NO_ROOM, -1, False),
    "a card that may be oversold":       (HALF, {"need_mib": 50}, BOUNDLESS, 101, True),
    "oversold, but not beyond the flag": (HALF, {"need_mib": 51}, BOUNDLESS, 101, False),
}  # fmt: skip


@pytest.mark.parametrize(("fit", "shape", "free", "size", "held"), HELD.values(), ids=HELD)
def test_what_a_card_holds(fit, shape, free, size, held):
    assert bool(holds(shares(fit=fit), CardShape(1, **shape), free, size)) is held


BOOKED = {
    "the need": (None, 101, 40),
    "rounded up": (HALF, 101, 51),
    "and the engine": (STATIC, 101, 53),
    "all that is left, and the engine": (Fit(Fraction(1), FractionOf.STATIC), 101, 98),
}


@pytest.mark.parametrize(("fit", "memory_mib", "mib"), BOOKED.values(), ids=BOOKED)
def test_what_is_booked(fit, memory_mib, mib):
    assert booked_mib(shares(fit=fit), CardShape(1, 40, overhead_mib=7, gone_mib=10), memory_mib) == mib


@pytest.mark.parametrize(("fit", "mib"), [(HALF, 50), (STATIC, 52)])
def test_what_a_flag_leaves_to_the_model(fit, mib):
    assert budget_mib(fit, CardShape(1, 40, overhead_mib=7, gone_mib=10), 101) == mib
