"""Prefer the worker that would have the least CPU and cards left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.packing.best_fit import tightness
from bayplan.placement.packing.demand import demand_of
from bayplan.placement.packing.room_left import READS, needed, room_after, room_left

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class BestFit:
    """Scores 1 − (c + g) / 2 of what the worker would have left: c its CPU over 128 cores, g its cards over 8.

    Both count as 1 where a worker has more. Cards are counted by what is free of each. 1.0 when nothing would be left.
    """

    name = "best-fit"
    reads = READS

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        demand, room = demand_of(ask), room_left(rows)
        return tightness(room if demand is None else room_after(room, demand, needed(demand, rows)))
