"""Take any, the better ones more often."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.totals import Totals
    from bayplan.framework.plugins import Want


@dataclass(frozen=True, slots=True)
class WeightedRandom:
    """Picks with chances in proportion to the totals of the last level; the cycle's seed decides.

    A row whose total is not above zero is picked only when no other is left. Several picks are drawn without
    putting back (keys log(u)/total, largest first: as u^(1/total), but small and large totals keep apart).
    """

    name = "weighted-random"
    aliases = ("weighted-random-picker",)

    def pick(self, totals: Totals, want: Want, cycle: Cycle) -> Sequence[int]:
        generator = cycle.random()
        keys = []
        for row in totals.survivors():
            total, draw = totals.total(row)[-1], generator.random()
            # 1.0 - draw is in (0, 1], where log is finite; 0 and 1 put rows without a total behind the others.
            keys.append((1, log(1.0 - draw) / total, -row) if total > 0.0 else (0, draw, -row))
        keys.sort(reverse=True)
        return [-row for _, _, row in keys[: want.desired]]
