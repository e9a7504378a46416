"""Keep the workers that can give the cards: their number, model, memory and compute share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.events import ROOM_EVENTS
from bayplan.framework.reasons import Reasons
from bayplan.framework.twins import EVERY_ROW, Twin
from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.copies import card_copies
from bayplan.placement.cards.device_offers import served, told_apart
from bayplan.placement.cards.distinct import everybody
from bayplan.placement.cards.fit import UNFIT
from bayplan.placement.cards.places import EXPLAIN_READS as PLACE_READS, place_shortage
from bayplan.placement.cards.shortage import READS, shortage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import Numbers


class GpuFit:
    """Refuses a worker on whose cards no shape of the workload fits.

    Too few usable cards say `gpu-count-short`; enough cards, but no set of them with enough free memory
    `gpu-memory-short`, with enough free compute `gpu-compute-short`; no card of an accepted model
    `gpu-model-mismatch`. Cards whose size is not known are `unknown-capacity`, a workload whose need is not known, or
    of which a demand was not understood, is `unknown-need`. Places on shared cards are counted like cards; a worker
    without the way of sharing that a request names says `resource-short`. `mig-fit` checks MIG instances,
    `locality` and `bandwidth` check links between cards; where MIG instances can never meet such a demand, this filter
    answers with their codes.
    """

    name = "gpu-fit"
    reads = ("fit_order",)
    explain_reads = tuple(dict.fromkeys((*READS, *PLACE_READS, "device_offer_id")))
    required = True
    cured_by = ROOM_EVENTS

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if ask.taking is Taking.SLICES:
            return everybody(rows.size)
        fits: BoolArray = rows.fit_order != UNFIT
        return fits

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin:
        return EVERY_ROW if ask.taking is Taking.SLICES else Twin(_fits)

    def copies(self, ask: Ask, rows: Rows) -> Numbers | None:
        """How many replicas the cards suffice for; None where the cards of one decide about those of the next."""
        return card_copies(ask, rows)

    def explain(self, ask: Ask, rows: Rows, cycle: Cycle) -> Reasons | list[Reasons]:
        if ask.unknown:
            not_known = "need" if ask.unknown_code == "unknown-need" else ""
            return Reasons(ask.unknown_code, missing=ask.unknown, text="{missing}", not_known=not_known)
        explain = place_shortage if ask.taking is Taking.PLACES else shortage
        open_rows = served(ask, rows)
        if open_rows is None or open_rows.all():
            return explain(ask, rows)
        return told_apart(ask, rows, open_rows, explain, self.explain_reads)


def _fits(fit_order: int) -> bool:
    return fit_order != UNFIT
