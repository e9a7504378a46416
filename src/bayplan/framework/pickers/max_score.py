"""Take the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.totals import Totals
    from bayplan.framework.plugins import Want


@dataclass(frozen=True, slots=True)
class MaxScore:
    """Picks the rows with the highest totals, level by level.

    Parameters:
        ties: which of equal rows comes first: `lowest`, the lower row (the builder of a table orders rows so that names
            do not matter), or `seeded`, a choice drawn from the cycle's seed, so that equal endpoints share the load.
    """

    ties: Literal["lowest", "seeded"] = "lowest"

    name = "max-score"
    aliases = ("max-score-picker",)

    def pick(self, totals: Totals, want: Want, cycle: Cycle) -> Sequence[int]:
        if want.desired == 1:
            if self.ties == "lowest":
                return (totals.best(),)
            equal = totals.equals()
            return equal if len(equal) == 1 else (equal[cycle.chance(len(equal))],)
        rows = totals.ranked()
        if self.ties == "seeded":
            generator = cycle.random()
            draws = {row: generator.random() for row in rows}
            rows.sort(key=lambda row: (*(-value for value in totals.total(row)), draws[row]))
        return rows[: want.desired]
