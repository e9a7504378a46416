"""Prefer cards that are in use already, then idle cards of workers in use, then idle workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.packing.demand import WHOLE_MILLI, demand_of
from bayplan.placement.packing.room_left import READS, needed, room_after, room_left

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class GpuPacking:
    """Scores in three bands whether a workload opens up nothing, idle cards, or an idle worker.

    1 − f/10 on cards that others use (f is what is free of them, in cards), at least 0.5; 0.5 − n/100 where it takes n
    idle cards of a worker in use, at least 1/3; 1/3 − n/100 on a worker all of whose n cards are idle. Workloads
    without cards score 0 everywhere.
    """

    name = "gpu-packing"
    reads = READS

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        demand = demand_of(ask)
        if demand is None or not demand.cards:
            return np.zeros(rows.size)
        before = room_left(rows)
        after = room_after(before, demand, needed(demand, rows))
        idle, there = (before.milli >= WHOLE_MILLI), rows.card_memory_mib != 0
        taken = after.milli < before.milli
        opened = (taken & idle).sum(1)
        free = np.where(taken, before.milli, 0).sum(1) / WHOLE_MILLI
        score = np.where(opened > 0, np.maximum(0.5 - opened / 100, 1 / 3), np.maximum(1.0 - free / 10, 0.5))
        untouched = (idle | ~there).all(1)
        found: FloatArray = np.where(untouched, np.maximum(1 / 3 - idle.sum(1) / 100, 0.0), score)
        return found
