"""Prefer the worker on which fragments grow least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.packing.best_fit import tightness
from bayplan.placement.packing.demand import WHOLE_MILLI, demand_of
from bayplan.placement.packing.fragments import fragments
from bayplan.placement.packing.room_left import READS, needed, room_after, room_left

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

_STEPS = 100


class Fgd:
    """Scores 1 / (1 + e^−x) in steps; x is how many cards of fragments a workload takes away.

    Fragmentation gradient descent (Weng et al., 2023). A fragment is what is free on cards too small for a typical
    workload, or all that is free where the worker cannot hold it; the mean over the workloads that make up 95 percent
    of the mix counts. Steps are a hundredth wide, as published, which makes many equals: of these the one with the best
    fit. Inside a worker the fullest card that suffices is taken. Until the mix is known the score is that of
    `best-fit`.
    """

    name = "fgd"
    reads = (*READS, "uid_hash", "outlook")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        demand, outlook, before = demand_of(ask), rows.outlook, room_left(rows)
        if demand is None:
            return tightness(before)
        after = room_after(before, demand, needed(demand, rows))
        if outlook is None:
            return tightness(after)
        kinds = outlook.kind_of(rows.uid_hash)
        won = (fragments(outlook, kinds, before) - fragments(outlook, kinds, after)) / WHOLE_MILLI
        score: FloatArray = (np.floor(_STEPS / (1.0 + np.exp(-won))) + tightness(after)) / (_STEPS + 1)
        return score

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        known = rows.outlook is not None and demand_of(ask) is not None
        return ["" if known else "the mix of workloads is not known: best fit"] * rows.size
