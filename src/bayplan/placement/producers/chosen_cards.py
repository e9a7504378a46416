"""Which cards each worker would give, and how full they would be: the tightest cards first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.cards.choose import COLUMNS, READS, choose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class ChosenCards:
    """Takes the cards with the least free memory that fit, unless that would leave room for fewer of the copies.

    Of several cards all are linked as the workload demands; then they come from the island (what NVLink joins, or the
    socket where one is demanded) with the fewest free cards that suffice. `chosen` marks the cards, `fullness` is the
    largest part of what is free that one of them would give. Where a workload asks for compute and no memory, compute
    takes the place of memory.
    """

    name = "chosen-cards"
    reads = READS
    produces = COLUMNS

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        given = choose(ask, rows, "tight")
        return {"chosen": given.chosen, "fullness": given.fullness}
