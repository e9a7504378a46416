"""What never changes about the MIG instances of a worker's cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.cards.mig.instances import KEY_COLUMNS, KEY_READS, loose_ranks, slice_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class SliceKeys:
    """Says where the table of each card begins, and whether the ask may take instances whose card is not known."""

    name = "slice-keys"
    reads = KEY_READS
    produces = KEY_COLUMNS

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return {"slice_key": slice_keys(rows.card_mig_id, rows.card_usable), "loose_rank": loose_ranks(ask, rows)}
