"""Things that happen with a probability, by the cycle's seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle

_STEPS = 1 << 53
"""As finely as a float in [0, 1) can be drawn."""


def happens(probability: float, cycle: Cycle) -> bool:
    """Whether it happens this time; a probability of 0 or 1 needs no draw."""
    if probability <= 0.0:
        return False
    return probability >= 1.0 or cycle.chance(_STEPS) < probability * _STEPS
