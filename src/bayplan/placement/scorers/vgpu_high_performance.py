"""Prefer the worker on whose cards least memory is booked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.plugins import Depends

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class VgpuHighPerformance:
    """Scores the GPU memory booked on a worker, from 1 for the least among the candidates to 0 for the most.

    So shares are kept apart. A card held whole counts with its size, a booking without cards does not count. All
    score 1 where all are equal. Inside a worker the card with the most free memory is taken.
    """

    name = "vgpu-high-performance"
    reads = ("gpu_booked_mib",)
    depends = Depends.TABLE
    cards = "roomy"

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        booked = rows.gpu_booked_mib
        least, most = booked.min(), booked.max()
        if least == most:
            return np.ones(rows.size)
        score: FloatArray = (most - booked) / (most - least)
        return score
