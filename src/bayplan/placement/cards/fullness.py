"""How full the chosen cards would be: what packing strategies compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.cheapest_cards import NEVER

if TYPE_CHECKING:
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import CardRows, Numbers

PER_CARD_LEFT = 1e-6
"""Too little to outweigh anything that was measured, enough to keep large sets of cards together."""

_NO_CARD = 1 << 30
"""Free compute, in thousandths, where no card was chosen: more than any card has, so that the minimum ignores it."""


def share_fullness(ask: Ask, rows: CardRows, chosen: BoolArray, candidates: BoolArray, need: Numbers) -> FloatArray:
    """The largest part of what is free on a card that one of the chosen cards gives; 0 where none was chosen."""
    if ask.taking is Taking.WHOLE and not ask.rule.needs_memory:
        given: BoolArray = np.asarray(chosen.any(1))
        return whole_fullness(given, (candidates & ~chosen).sum(1))
    if ask.by_compute:
        part: FloatArray = ask.compute_milli / np.where(chosen, rows.card_free_milli, _NO_CARD).min(1)
        return part * chosen.any(1)
    free: Numbers = np.where(chosen, rows.card_free_mib, NEVER).min(1)
    full: FloatArray = np.where(chosen.any(1), np.minimum(need / np.maximum(free, 1), 1.0), 0.0)
    return full


def whole_fullness(fits: BoolArray, left: Numbers) -> FloatArray:
    """Whole cards are as full as can be; of equals, the worker with the fewest idle cards left is a little fuller."""
    full: FloatArray = (1.0 - left * PER_CARD_LEFT) * fits
    return full
