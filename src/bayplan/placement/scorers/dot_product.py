"""Prefer the worker whose free resources are least like what is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.packing.best_fit import LARGEST_CARDS, LARGEST_CPU_MILLI, parts_left
from bayplan.placement.packing.demand import WHOLE_MILLI, demand_of
from bayplan.placement.packing.room_left import READS, needed, room_left

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class DotProduct:
    """Scores 1 − (c·c' + g·g') / 2: c and g are free CPU over 128 cores and free cards over 8, c' and g' what is asked.

    The rule of Tetris turned round, as it is used to compare packing policies: of the workers that fit, the one with
    the least of what is asked for. Each of the four counts as 1 where it is more.
    """

    name = "dot-product"
    reads = READS

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        demand = demand_of(ask)
        if demand is None:
            return np.zeros(rows.size)
        cpu, cards = parts_left(room_left(rows))
        asked_cpu = min(demand.cpu_milli / LARGEST_CPU_MILLI, 1.0)
        asked = np.minimum(demand.cards * needed(demand, rows) / (LARGEST_CARDS * WHOLE_MILLI), 1.0)
        score: FloatArray = 1.0 - (cpu * asked_cpu + cards * asked) / 2.0
        return score
