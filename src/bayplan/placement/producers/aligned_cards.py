"""Which of an ask's shapes each worker can give, where some workers insist on single NUMA zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.cards.fit import COLUMNS, READS as FIT_READS, fit_columns
from bayplan.placement.cards.numa.zone_fit import aligned_room
from bayplan.placement.cards.numa.zones import READS as ZONE_READS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class AlignedCards:
    """Replaces `card-fit` where a worker insists on single zones: cards of other zones have no room there.

    Where no zone holds the request all cards keep their room, so that `numa-single-node` alone refuses the worker.
    """

    name = "card-fit"
    reads = tuple(dict.fromkeys((*FIT_READS, *ZONE_READS)))
    produces = COLUMNS

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return fit_columns(ask, rows, aligned_room)
