"""Prefer the worker on the cleaner grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.factors.parts import inverse, mean_of, not_known, part

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.factors.parts import ScorePart

MOST_G_PER_KWH = 1000.0


class Carbon:
    """Scores 1 − `carbonGramsPerKwh` / 1000, never below 0; not known: 0.5.

    An AgentPool with `carbonAware.enabled` adds it to its profile, weighing 15 beside factors that weigh 100 together.
    """

    name = "carbon"
    reads = ("carbon_g_per_kwh",)

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        return mean_of([_emitted(rows)], rows.size)

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        return not_known([_emitted(rows)], rows.size)


def _emitted(rows: Rows) -> ScorePart:
    emitted = rows.carbon_g_per_kwh
    return part("carbonGramsPerKwh", inverse(emitted, MOST_G_PER_KWH), emitted >= 0)
