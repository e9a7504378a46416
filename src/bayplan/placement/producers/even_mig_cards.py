"""Which workers can give the MIG instances that are asked for, evenly from their cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.placement.cards.mig.instance_cards import READS, given, given_columns
from bayplan.placement.cards.mig.instances import slice_loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class EvenMigCards:
    """As `MigCards`; of cards that give instances in the same way, the card with the fewest replicas comes first."""

    name = "mig-cards"
    reads = (*READS, "card_rank", "card_bookings", "uid_hash")
    depends = Depends.CYCLE

    def __init__(self, produces: Iterable[str]) -> None:
        self.produces = tuple(produces)

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return given_columns(
            self.produces, given(ask, rows, slice_loads(cycle.subject, rows.uid_hash, rows.card_bookings))
        )
