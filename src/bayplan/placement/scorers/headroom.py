"""Prefer the worker on which a workload costs the future least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.packing.best_fit import tightness
from bayplan.placement.packing.demand import demand_of
from bayplan.placement.packing.gains import gains, losses
from bayplan.placement.packing.room_left import READS, needed, room_after, room_left

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class Headroom:
    """Scores how much room for future workloads is lost when the workload is placed on a worker: less is better.

    Three things are compared before and after. The waste: what would be left over of the worker's cards after several
    sampled futures, in each of which workloads come as the mix says and take what fits. The room for workloads of
    several cards, at a price that rises as the cluster has less of it for more demand. And cards of models that some
    workloads insist on, at a price that rises as these get scarce. All are counted in cards; a worker on which nothing
    is lost scores 0.5, one on which more is lost less.

    The mix is given to the scheduler or learnt from what it has seen, and prices change in epochs of 2,000 decisions.
    Until the mix is known, and for workloads that it does not foresee (MIG instances, models divided by layers), the
    score is that of `best-fit`. Names of workers play no part.
    """

    name = "headroom"
    reads = (*READS, "uid_hash", "outlook")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        demand, outlook = demand_of(ask), rows.outlook
        if demand is None:
            return tightness(room_left(rows))
        if outlook is None:
            return tightness(room_after(room_left(rows), demand, needed(demand, rows)))
        won = gains(outlook, demand, rows)
        score: FloatArray = 0.5 + 0.5 * won / (1.0 + np.abs(won))
        return score

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        demand, outlook = demand_of(ask), rows.outlook
        if demand is None:
            return ["the mix does not foresee it: best fit"] * rows.size
        if outlook is None:
            return ["the mix of workloads is not known: best fit"] * rows.size
        lost = losses(outlook, demand, rows)
        return [
            f"costs the future {waste:+.2f} cards of waste, {room:+.2f} of room for large workloads, "
            f"{scarcity:+.2f} of scarce cards"
            for waste, room, scarcity in zip(*(part.tolist() for part in lost), strict=True)
        ]
