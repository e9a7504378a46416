"""Keep the workers that leave enough of the workload's replicas off spot machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.placement.cards.distinct import everybody

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class SpotShare:
    """Refuses spot workers once they have as many of the workload's replicas as `cost.maxSpotPercent` allows.

    The number is rounded down; replicas that are there already count. A replica over several workers counts where one
    of them is spot. Not curable: evicting others leaves the share. Present only where a workload has a limit.
    """

    name = "spot-share"
    reads = ("spot",)
    depends = Depends.CYCLE
    required = True

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        share = cycle.subject.on_spot
        if share is None or share.there < share.most:
            return everybody(rows.size)
        steady: BoolArray = ~rows.spot
        return steady

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        share = cycle.subject.on_spot
        return Reasons(
            "spot",
            curable=False,
            unit="replicas",
            needed=share.there + 1,
            free=share.most,
            there=share.there,
            wanted=share.wanted,
            percent=share.percent,
            text="is a spot worker; {free} of {wanted} replicas may be on spot workers (cost.maxSpotPercent "
            "{percent:g}), {there} are",
        )
