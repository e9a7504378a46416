"""Which cards of each worker an ask may use at all, whatever is booked on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.cards.usable import COLUMNS, READS, usable_cards

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask


class UsableCards:
    """Says the position of each card in the order of preference, and which cards may work together.

    A card that is unhealthy, too small, not selected, of another model than asked for, or of a runtime on which the
    engine does not run, does not exist for the ask. The same holds for a card that is cut into slices, unless slices
    are asked for, and for all cards of a worker that offers other devices under the name that is asked for.
    """

    name = "usable-cards"
    reads = READS
    produces = COLUMNS

    def unread(self, ask: Ask) -> tuple[str, ...]:
        return ("uid_hash",) if ask.selected is None else ()

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        return usable_cards(ask, rows)
