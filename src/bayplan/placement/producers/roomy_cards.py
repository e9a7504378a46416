"""Which cards each worker would give, and how full they would be: the roomiest cards first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.cards.choose import COLUMNS, READS, choose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class RoomyCards:
    """Takes the cards with the most free memory."""

    name = "chosen-cards"
    reads = READS
    produces = COLUMNS

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        given = choose(ask, rows, "roomy")
        return {"chosen": given.chosen, "fullness": given.fullness}
