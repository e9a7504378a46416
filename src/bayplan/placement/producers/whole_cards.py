"""Whole cards, answered from fewer columns: they are counted by bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.twins import Twin
from bayplan.placement.cards.fit import UNFIT, keep_nearest
from bayplan.placement.cards.fullness import PER_CARD_LEFT, whole_fullness
from bayplan.placement.cards.linked.linked_sets import demands, lacking
from bayplan.placement.cards.masks import BIT_COUNTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import Masks


class WholeCards:
    """Replaces `card-fit` and `chosen-cards` where whole cards are asked for: they are counted by bits.

    Cards of one replica are of one kind.
    """

    name = "card-fit"
    reads = ("kind_masks", "wholly_free", "links_id", "cards_id", "pools")
    produces = ("fit_order", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        free = rows.kind_masks & rows.wholly_free[:, None]
        if demands(ask) and ask.card_counts[0] > 1:
            return _linked(ask, rows, free)
        left = BIT_COUNTS.take(free).max(1) - ask.card_counts[0]
        fits = left >= 0
        return {"fit_order": fits - np.int64(1), "fullness": whole_fullness(fits, left)}

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin | None:
        count = int(ask.card_counts[0])
        if demands(ask) and count > 1:
            return None
        return Twin(_whole_cards, (count, BIT_COUNTS), ("kind_masks", "wholly_free"))


def _whole_cards(count: int, ones: Any, kind_masks: Any, wholly_free: int) -> Any:
    most = 0
    for mask in kind_masks:
        most = max(most, ones[mask & wholly_free])
    left = most - count
    return (left >= 0) - 1, (1.0 - left * PER_CARD_LEFT) * (left >= 0)


def _linked(ask: Ask, rows: Rows, free: Masks) -> Mapping[str, Column]:
    """The kind with the most free cards, among kinds whose cards are linked as the ask demands; else what they lack."""
    order, most = np.full(rows.size, UNFIT), np.full(rows.size, UNFIT)
    left = BIT_COUNTS.take(free) - ask.card_counts[0]
    for kind in np.flatnonzero((left >= 0).any(0)).tolist():
        lines = np.flatnonzero(left[:, kind] >= 0)
        lacks = lacking(ask, rows, free[lines, kind], int(ask.card_counts[0]), lines)
        near, held = lines[lacks == 0], order[lines]
        keep_nearest(held, UNFIT - lacks)
        order[lines] = held
        order[near], most[near] = 0, np.maximum(most[near], left[near, kind])
    return {"fit_order": order, "fullness": whole_fullness(order >= 0, most)}
