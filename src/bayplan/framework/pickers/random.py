"""Take any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.totals import Totals
    from bayplan.framework.plugins import Want


@dataclass(frozen=True, slots=True)
class Random:
    """Picks among the rows that are left with equal chances, whatever their totals; the cycle's seed decides."""

    name = "random"
    aliases = ("random-picker",)

    def pick(self, totals: Totals, want: Want, cycle: Cycle) -> Sequence[int]:
        rows = totals.survivors()
        if want.desired == 1:
            return (rows[cycle.chance(len(rows))],)
        return cycle.random().sample(rows, min(want.desired, len(rows)))
