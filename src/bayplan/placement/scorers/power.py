"""Prefer the worker that draws less power."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.factors.parts import inverse, mean_of, not_known, part

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.factors.parts import ScorePart

MOST_WATTS = 10_000.0


class Power:
    """Scores 1 − `powerWatts` / 10,000, never below 0; not known: 0.5."""

    name = "power"
    reads = ("power_watts",)

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        return mean_of([_drawn(rows)], rows.size)

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        return not_known([_drawn(rows)], rows.size)


def _drawn(rows: Rows) -> ScorePart:
    watts = rows.power_watts
    return part("powerWatts", inverse(watts, MOST_WATTS), watts >= 0)
