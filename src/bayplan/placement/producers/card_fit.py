"""Which of an ask's shapes each worker can give, if any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.cards.fit import COLUMNS, READS, fit_columns
from bayplan.placement.cards.room import room_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class CardFit:
    """Finds the first shape that fits a worker: the preferred model of GPU, then the earliest shape.

    Cards of one replica are of one kind. `fit_order` is what *fewest cards* compares: smaller is better, and -1 says
    that nothing fits. Where something would fit if the cards were linked otherwise, it is -1 less what they lack: -2
    for the locality, -3 for the bandwidth, -4 for both.
    """

    name = "card-fit"
    reads = READS
    produces = COLUMNS

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return fit_columns(ask, rows, room_of)
