"""Which workers can give the MIG instances that are asked for, and from which of their cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.cards.mig.instance_cards import READS, given, given_columns, one_slice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

_QUICK = {"fit_order", "fullness"}


class MigCards:
    """Replaces `card-fit` and `chosen-cards` where MIG instances are asked for; makes the columns of both.

    Instances that exist are taken first, then instances whose card is not known, then new ones on a card that is cut
    already, last a card that must be switched to MIG. Among cards the one where the least room for larger instances
    is lost, then the one with the least room left. `fullness` is the largest part of a card's free slices that is
    taken, less a few millionths where cards are reconfigured.
    """

    name = "mig-cards"
    reads = (*READS, "card_rank")

    def __init__(self, produces: Iterable[str]) -> None:
        self.produces = tuple(produces)
        self._quick = _QUICK.issuperset(self.produces)

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        if self._quick and ask.shapes[0].cards == 1:
            fits, fullness = one_slice(ask, rows)
            return {"fit_order": fits - np.int64(1), "fullness": fullness}
        return given_columns(self.produces, given(ask, rows))
