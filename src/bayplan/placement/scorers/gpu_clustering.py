"""Prefer workers whose workloads take cards in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.asks.ask import Taking
from bayplan.placement.packing.best_fit import parts_left
from bayplan.placement.packing.room_left import READS, room_left

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class GpuClustering:
    """Scores in four bands which workloads are on a worker, and inside each band how full its cards are.

    From the best: only workloads that take cards in the same way (shares, or whole cards); such ones among others;
    an empty worker; only others. A band is a quarter wide; inside it the score is 1 − g, where g is the number of free
    cards / 8. Workloads without cards score 0 everywhere.
    """

    name = "gpu-clustering"
    reads = (*READS, "card_wholes", "card_shares")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        if ask.taking is Taking.NOTHING:
            return np.zeros(rows.size)
        whole, shared = rows.card_wholes.any(1), rows.card_shares.any(1)
        same, other = (whole, shared) if ask.taking is Taking.WHOLE else (shared, whole)
        band = np.where(same, np.where(other, 2.0, 3.0), np.where(other, 0.0, 1.0))
        score: FloatArray = (band + 1.0 - parts_left(room_left(rows))[1]) / 4.0
        return score
