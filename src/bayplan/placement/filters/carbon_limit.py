"""Keep the workers on a grid that is clean enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.events import CARBON_CHANGED, WORKER_ADDED
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import everybody, told

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class CarbonLimit:
    """Refuses a worker whose grid emits more per kWh than `maxCarbonGramsPerKwh`; the limit itself is allowed.

    A worker whose grid emissions are not known is refused too. `needed` is what the grid emits, `free` the
    limit. Not curable: evicting others cleans no grid.
    """

    name = "carbon-limit"
    reads = ("carbon_g_per_kwh",)
    required = True
    cured_by = (CARBON_CHANGED, WORKER_ADDED)

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if ask.max_carbon_g_per_kwh is None:
            return everybody(rows.size)
        emitted = rows.carbon_g_per_kwh
        mask: BoolArray = (emitted >= 0) & (emitted <= ask.max_carbon_g_per_kwh)
        return mask

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        emitted = refused.carbon_g_per_kwh
        return Reasons(
            "carbon",
            needed=np.where(emitted < 0, None, emitted),
            free=ask.max_carbon_g_per_kwh,
            unit="g/kWh",
            not_known=told(emitted < 0, lambda unknown: "carbon" if unknown else ""),
            text=told(emitted < 0, lambda unknown: _UNKNOWN if unknown else _TOO_MUCH),
        )


_UNKNOWN = "its carbon intensity is not known, and the limit is {free:g} {unit}"
_TOO_MUCH = "its grid emits {needed:g} {unit}, {short:g} above the limit of {free:g}"
