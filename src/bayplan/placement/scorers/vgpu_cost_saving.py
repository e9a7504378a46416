"""Prefer the worker on whose cards most memory is booked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.plugins import Depends

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class VgpuCostSaving:
    """Scores the GPU memory booked on a worker, from 0 for the least among the candidates to 1 for the most.

    So shares are packed onto few workers. A card held whole counts with its size, a booking without cards does not
    count. All score 1 where all are equal. Inside a worker the card with the least memory left over is taken.
    """

    name = "vgpu-cost-saving"
    reads = ("gpu_booked_mib",)
    depends = Depends.TABLE
    cards = "tight"

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        booked = rows.gpu_booked_mib
        least, most = booked.min(), booked.max()
        if least == most:
            return np.ones(rows.size)
        score: FloatArray = (booked - least) / (most - least)
        return score
