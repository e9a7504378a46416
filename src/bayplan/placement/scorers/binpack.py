"""Prefer the worker whose cards and RAM would be fullest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.twins import Twin
from bayplan.placement.asks.ask import Taking

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class Binpack:
    """Scores (r + 2·g) / 3: r is RAM asked / RAM free, g the largest part of a card's free memory that is needed.

    What the model needs counts, not the larger amount that a memory-fraction flag books, so an idle small card beats
    an idle large one. Whole cards have g = 1, less a millionth for each idle card left behind, so that of equals the
    fuller worker is taken. Where a share of compute alone is asked for, g is the part of the card's free compute.
    Without cards it is r alone. 1.0 when nothing would be left over.
    """

    name = "binpack"
    reads = ("fullness", "ram_free_mib")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        if not ask.ram_mib:
            return np.zeros(rows.size) if ask.taking is Taking.NOTHING else rows.fullness * _TWO_THIRDS
        asked = np.minimum(ask.ram_mib / np.maximum(rows.ram_free_mib, 1), 1.0)
        score: FloatArray = asked if ask.taking is Taking.NOTHING else (asked + 2.0 * rows.fullness) / 3.0
        return score

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin:
        if ask.taking is Taking.NOTHING:
            return Twin(_of_ram, (ask.ram_mib or 0,), ("ram_free_mib",))
        return Twin(_of_both, (ask.ram_mib or 0,))


_TWO_THIRDS = 2.0 / 3.0


def _of_ram(ram_mib: int, ram_free_mib: int) -> float:
    return min(ram_mib / max(ram_free_mib, 1), 1.0)


def _of_both(ram_mib: int, fullness: float, ram_free_mib: int) -> float:
    return (min(ram_mib / max(ram_free_mib, 1), 1.0) + 2.0 * fullness) / 3.0 if ram_mib > 0 else fullness * _TWO_THIRDS
