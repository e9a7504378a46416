"""Keep the workers whose cards are as near to each other as the workload demands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.events import ROOM_EVENTS
from bayplan.framework.twins import EVERY_ROW, Twin
from bayplan.placement.cards.copies import MANY_COPIES
from bayplan.placement.cards.distinct import everybody
from bayplan.placement.cards.linked.link_shortage import READS, not_near
from bayplan.placement.cards.linked.linked_sets import demands
from bayplan.placement.cards.linked.near_sets import APART, SLOW

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.reasons import Reasons
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import Numbers


class NearCards:
    """Refuses a worker with cards enough, but no set of them that is linked as `gpus.locality` asks.

    `nvlink`: the cards of a replica are connected among themselves by NVLink; a path through other cards does not
    count. `same-socket`: they have one `numa` id. Links that are not described are refused. One card needs no link.
    Curable where such a set is there but held by others; `needed` and `free` are cards.
    """

    name = "locality"
    reads = ("fit_order",)
    explain_reads = READS
    required = True
    cured_by = ROOM_EVENTS

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        if ask.locality is None:
            return everybody(rows.size)
        mask: BoolArray = (rows.fit_order != _APART) & (rows.fit_order != _APART_AND_SLOW)
        return mask

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin:
        return EVERY_ROW if ask.locality is None else Twin(_is_near)

    def copies(self, ask: Ask, rows: Rows) -> Numbers | None:
        """Any number where no link is demanded; None where the links of the cards that are left decide."""
        return None if demands(ask) else np.full(rows.size, MANY_COPIES)

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        return not_near(ask, refused)


_APART, _APART_AND_SLOW = -1 - APART, -1 - (APART | SLOW)


def _is_near(fit_order: int) -> bool:
    return fit_order not in (_APART, _APART_AND_SLOW)
