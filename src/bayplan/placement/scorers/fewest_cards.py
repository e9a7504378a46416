"""Prefer the worker that takes fewer cards, or leaves fewer layers behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class FewestCards:
    """Scores the position of a worker's shape in the workload's order of shapes: 1.0 for the first.

    Placement's own level, before a profile's scores. Shapes without a pipeline come first, then fewer cards; where a
    model is partly offloaded, more layers on cards come first; where cards are oversold, less of it.
    """

    name = "fewest-cards"
    reads = ("fit_order",)

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        score: FloatArray = 1.0 / (1.0 + np.maximum(rows.fit_order, 0))
        return score
