"""Keep the workers without bookings of workloads and gangs that `antiAffinity` excludes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import everybody

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class AntiAffinity:
    """Refuses a worker with a booking whose workload or gang is named in `antiAffinity`.

    The subject of the decision knows which bookings are where, so the answer is not cached. Curable: without these
    bookings the worker may be used.
    """

    name = "anti-affinity"
    reads = ("uid_hash",)
    depends = Depends.CYCLE
    required = True

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        avoided = cycle.subject.avoided
        if not len(avoided):
            return everybody(rows.size)
        return np.isin(rows.uid_hash, avoided, invert=True)

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        return Reasons(
            "anti-affinity",
            curable=True,
            names=" or ".join(ask.anti_affinity),
            text="holds a booking of {names}, which antiAffinity excludes",
        )
