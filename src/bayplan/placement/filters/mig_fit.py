"""Keep the workers that can give the MIG instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.events import ROOM_EVENTS
from bayplan.framework.twins import EVERY_ROW, Twin
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.device_offers import served, told_apart
from bayplan.placement.cards.distinct import everybody
from bayplan.placement.cards.mig.instance_shortage import READS, shortage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.reasons import Reasons
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class MigFit:
    """Refuses a worker that cannot give as many instances of a MIG profile as are asked for: `mig-unavailable`.

    Two things count: free instances that exist, also where their card is not known, and instances that may be created
    on cards that may be reconfigured: beside booked instances, which stay, and on cards without a booking.
    Curable where other bookings are in the way. It checks only workloads that ask for instances.
    """

    name = "mig-fit"
    reads = ("fit_order",)
    explain_reads = READS
    required = True
    cured_by = ROOM_EVENTS

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if ask.taking is not Taking.SLICES:
            return everybody(rows.size)
        fits: BoolArray = rows.fit_order >= 0
        return fits

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin:
        return Twin(_fits) if ask.taking is Taking.SLICES else EVERY_ROW

    def explain(self, ask: Ask, rows: Rows, cycle: Cycle) -> Reasons | list[Reasons]:
        open_rows = served(ask, rows)
        if open_rows is None or open_rows.all():
            return shortage(ask, rows)
        return told_apart(ask, rows, open_rows, shortage, READS)


def _fits(fit_order: int) -> bool:
    return fit_order >= 0
