"""A share of one card, the commonest question, answered from fewer columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

_NEVER = np.int64(1 << 62)
"""Room of a card that may not be used: more than any card has, so that the minimum ignores it."""


class OneCard:
    """Replaces `card-fit` and `chosen-cards` where a share of one card is asked for: the tightest card that fits."""

    name = "card-fit"
    reads = ("card_usable", "card_share_free_mib")
    produces = ("fit_order", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        need, room = ask.needs_mib[0], rows.card_share_free_mib
        tightest = np.where(rows.card_usable & (room >= ask.rooms_mib[0]), room, _NEVER).min(1)
        return {"fit_order": (tightest < _NEVER) - np.int64(1), "fullness": need / np.maximum(tightest, 1)}
