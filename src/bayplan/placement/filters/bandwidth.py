"""Keep the workers whose cards are linked as fast as the workload demands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.events import ROOM_EVENTS
from bayplan.framework.twins import EVERY_ROW, Twin
from bayplan.placement.cards.copies import MANY_COPIES
from bayplan.placement.cards.distinct import everybody
from bayplan.placement.cards.linked.link_shortage import READS, not_fast
from bayplan.placement.cards.linked.linked_sets import demands
from bayplan.placement.cards.linked.near_sets import SLOW

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.reasons import Reasons
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import Numbers


class Bandwidth:
    """Refuses a worker with cards enough, but no set of them with `gpus.minBandwidth` between every two.

    Where a locality is demanded too, only sets that it allows count. A link whose bandwidth is not known is too slow.
    One card needs no link. Curable where such a set is there but held by others; `needed`
    and `free` are GB/s, `free` the most that a set of free cards reaches.
    """

    name = "bandwidth"
    reads = ("fit_order",)
    explain_reads = READS
    required = True
    cured_by = ROOM_EVENTS

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if not ask.min_bandwidth_gb_per_s:
            return everybody(rows.size)
        mask: BoolArray = rows.fit_order > _SLOW
        return mask

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin:
        return Twin(_is_fast) if ask.min_bandwidth_gb_per_s else EVERY_ROW

    def copies(self, ask: Ask, rows: Rows) -> Numbers | None:
        """Any number where no link is demanded; None where the links of the cards that are left decide."""
        return None if demands(ask) else np.full(rows.size, MANY_COPIES)

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        return not_fast(ask, refused)


_SLOW = -1 - SLOW


def _is_fast(fit_order: int) -> bool:
    return fit_order > _SLOW
