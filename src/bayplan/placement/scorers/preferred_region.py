"""Prefer the regions that the workload names, where all else is equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.cards.distinct import judged

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class PreferredRegion:
    """Scores 1 in a region that the workload prefers, 0 elsewhere; where it prefers none, 0 everywhere.

    An AgentPool with `carbonAware.preferredRegions` adds it to its profile with a weight too small to outweigh
    anything that was measured: the preference decides between equal workers, and refuses no worker.
    """

    name = "preferred-region"
    reads = ("path_id", "pools")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        if not ask.preferred_regions:
            return np.zeros(rows.size)
        paths = rows.pools.paths
        return judged(rows.path_id, lambda number: paths[number].region in ask.preferred_regions).astype(np.float64)
