"""Which cards each worker would give, and how full they would be: the cards with the fewest replicas first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.placement.cards.choose import COLUMNS, EVEN_READS, choose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class EvenCards:
    """Takes the cards with the fewest replicas on them; one of the same workload counts as much as five of others.

    Where cards are oversold, the cards with the most free memory come first.
    """

    name = "chosen-cards"
    reads = EVEN_READS
    produces = COLUMNS
    depends = Depends.CYCLE

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        given = choose(ask, rows, "even", cycle.subject)
        return {"chosen": given.chosen, "fullness": given.fullness}
