"""Prefer the worker that costs less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.factors.parts import inverse, mean_of, not_known, part

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.factors.parts import ScorePart

MOST_USD_PER_HOUR = 100.0
MOST_WATTS = 10_000.0


class Cost:
    """Scores the mean of 1 − `usdPerHour` / 100 and 1 − `powerWatts` / 10,000, neither below 0.

    Where the workload says `cost.spot: true` there is a third part, 1 for a spot worker and 0 for any other. A price or
    a power that is not known counts 0.5 and is named in the note.
    """

    name = "cost"
    reads = ("usd_per_hour", "power_watts", "spot")

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        return mean_of(_parts(ask, rows), rows.size)

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        return not_known(_parts(ask, rows), rows.size)


def _parts(ask: Ask, rows: Rows) -> list[ScorePart]:
    price, watts = rows.usd_per_hour, rows.power_watts
    parts = [part("usdPerHour", inverse(price, MOST_USD_PER_HOUR), price >= 0)]
    if ask.spot:
        parts.append(part("spot", rows.spot.astype(np.float64)))
    parts.append(part("powerWatts", inverse(watts, MOST_WATTS), watts >= 0))
    return parts
