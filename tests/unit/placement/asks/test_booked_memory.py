"""How much memory a replica books where its engine was told a fraction."""

from fractions import Fraction

import numpy as np
import pytest

from bayplan.placement.asks.ask import CardShape, Fit, FractionOf
from bayplan.placement.asks.booked_memory import booked_mib, budget_mib, taken_mib
from unit.placement.builders import ask

NEED = CardShape(1, 40, overhead_mib=5, gone_mib=10)
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

FITS = {
    "all that the engine takes": (Fit(HALF, FractionOf.CARD), 100, 50, 50),
    "all that the engine takes, not even": (Fit(THIRD, FractionOf.CARD), 100, 33, 34),
    "weights and KV cache": (Fit(HALF, FractionOf.STATIC), 100, 50, 50),
    "weights and KV cache, not even": (Fit(THIRD, FractionOf.STATIC), 100, 35, 35),
    "weights and KV cache, rounded": (Fit(THIRD, FractionOf.STATIC), 101, 35, 36),
    "a part of a card": (Fit(HALF, FractionOf.PORTION), 100, 50, 50),
    "a part of a card, not even": (Fit(THIRD, FractionOf.PORTION), 100, 33, 33),
}


@pytest.mark.parametrize(("fit", "memory", "budget", "taken"), FITS.values(), ids=FITS)
def test_what_may_be_needed_is_rounded_down_and_what_is_taken_up(fit, memory, budget, taken):
    """A part of a card is a promise of the scheduler, not of the engine: it is rounded down both ways."""
    assert (budget_mib(fit, NEED, memory), taken_mib(fit, NEED, memory)) == (budget, taken)


@pytest.mark.parametrize(("fit", "memory", "budget", "taken"), FITS.values(), ids=FITS)
def test_columns_are_answered_as_each_card_alone(fit, memory, budget, taken):
    sizes = np.array([[memory, 17], [1_000_003, 80]])

    for rule in (budget_mib, taken_mib):
        assert rule(fit, NEED, sizes).tolist() == [[rule(fit, NEED, size) for size in row] for row in sizes.tolist()]


def test_a_share_books_its_need_or_all_that_its_engine_takes():
    assert booked_mib(ask(shapes=(NEED,)), NEED, 100) == 40
    assert booked_mib(ask(shapes=(NEED,), fit=Fit(HALF, FractionOf.CARD)), NEED, 100) == 50
