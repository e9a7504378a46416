"""Keep the workers that the workload can still afford."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.workload import SAME_USD_PER_HOUR
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class CostSum:
    """Refuses a further worker whose price would bring the workload above its `cost.maxUsdPerHour`.

    Workers that it uses already cost nothing more. Present only where a workload has a limit.
    """

    name = "cost-sum"
    reads = ("usd_per_hour", "uid_hash")
    depends = Depends.CYCLE
    required = True

    def unread_in_cycle(self, ask: Ask, cycle: Cycle) -> tuple[str, ...]:
        """Who a worker is counts once the workload uses some, or may use only some."""
        subject = cycle.subject
        return ("uid_hash",) if not len(subject.used) and subject.affordable is None else ()

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        subject = cycle.subject
        if ask.max_usd_per_hour is None:
            return np.ones(rows.size, np.bool_)
        left = ask.max_usd_per_hour - subject.spent_usd_per_hour
        affordable: BoolArray = rows.usd_per_hour <= left + SAME_USD_PER_HOUR
        affordable = affordable | np.isin(rows.uid_hash, subject.used)
        return affordable if subject.affordable is None else affordable & np.isin(rows.uid_hash, subject.affordable)

    def explain(self, ask: Ask, rows: Rows, cycle: Cycle) -> Reasons:
        spent = cycle.subject.spent_usd_per_hour
        left = (ask.max_usd_per_hour or 0.0) - spent
        return Reasons(
            "cost",
            curable=False,
            unit="USD/h",
            needed=rows.usd_per_hour,
            free=left,
            spent=spent,
            limit=ask.max_usd_per_hour,
            text="costs {needed:g} USD/h; other workers of the workload take {spent:g} of the limit of {limit:g}",
        )
