"""Prefer the model of GPU that the workload names first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class ModelPreference:
    """Scores the order of `gpus.models`: 1.0 for the first. Placement's own level, before any other score."""

    name = "model-preference"
    reads = ("fit_rank",)

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        score: FloatArray = 1.0 / (1.0 + np.maximum(rows.fit_rank, 0))
        return score
