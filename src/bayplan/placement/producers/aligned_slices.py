"""Which cards may give MIG instances, where some workers insist on single NUMA zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.cards.mig.instances import KEY_COLUMNS, KEY_READS, ROOM_READS, loose_ranks, slice_keys
from bayplan.placement.cards.numa.zone_fit import aligned_slices
from bayplan.placement.cards.numa.zones import READS as ZONE_READS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class AlignedSlices:
    """Replaces `slice-keys` where a worker insists on single zones: cards of other zones have nothing to give."""

    name = "slice-keys"
    reads = tuple(dict.fromkeys((*KEY_READS, *ZONE_READS, *ROOM_READS)))
    produces = KEY_COLUMNS

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        allowed = aligned_slices(ask, rows)
        return {"slice_key": slice_keys(rows.card_mig_id, allowed), "loose_rank": loose_ranks(ask, rows)}
