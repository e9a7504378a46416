"""The two commonest questions, answered from fewer columns: a share of one card, and whole cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import MASK_CARDS
from bayplan.placement.producers.chosen_cards import whole_fullness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.ask import Ask

_NEVER = np.int64(1 << 62)
_ONES = np.array([number.bit_count() for number in range(1 << MASK_CARDS)], np.int8)


class OneCard:
    """Stands for `card-fit` and `chosen-cards` where a share of one card is asked for: the tightest card that fits."""

    name = "card-fit"
    reads = ("card_usable", "card_share_free_mib")
    produces = ("fit_order", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        need, room = ask.needs_mib[0], rows.card_share_free_mib
        tightest = np.where(rows.card_usable & (room >= need), room, _NEVER).min(1)
        return {"fit_order": (tightest < _NEVER) - np.int64(1), "fullness": need / np.maximum(tightest, 1)}


class WholeCards:
    """Stands for `card-fit` and `chosen-cards` where whole cards are asked for: they are counted by bits.

    Cards of one replica are of one kind.
    """

    name = "card-fit"
    reads = ("kind_masks", "wholly_free")
    produces = ("fit_order", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        left = _ONES.take(rows.kind_masks & rows.wholly_free[:, None]).max(1) - ask.card_counts[0]
        fits = left >= 0
        return {"fit_order": fits - np.int64(1), "fullness": whole_fullness(fits, left)}
