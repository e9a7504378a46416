"""The commonest questions, answered from fewer columns: a share of one card, and whole cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import MASK_CARDS
from bayplan.placement.cards.linked.linked_sets import demands, lacking
from bayplan.placement.producers.card_fit import UNFIT, tell
from bayplan.placement.producers.chosen_cards import whole_fullness

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

    Numbers = npt.NDArray[Any]

_NEVER = np.int64(1 << 62)
_NO_CARD = np.int64(1 << 30)
_BYTES = np.arange(1 << MASK_CARDS, dtype=np.uint16).view(np.uint8).reshape(-1, 2)
_ONES = np.unpackbits(_BYTES, axis=1).sum(1, dtype=np.int8)
"""How many bits of each mask are set."""


class OneCard:
    """Stands for `card-fit` and `chosen-cards` where a share of one card is asked for: the tightest card that fits."""

    name = "card-fit"
    reads = ("card_usable", "card_share_free_mib")
    produces = ("fit_order", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        need, room = ask.needs_mib[0], rows.card_share_free_mib
        tightest = np.where(rows.card_usable & (room >= ask.rooms_mib[0]), room, _NEVER).min(1)
        return {"fit_order": (tightest < _NEVER) - np.int64(1), "fullness": need / np.maximum(tightest, 1)}


class OneShare:
    """Stands for `card-fit` and `chosen-cards` where a part of one card's compute is asked for, and no memory."""

    name = "card-fit"
    reads = ("card_usable", "card_shareable", "card_free_milli")
    produces = ("fit_order", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        need, room = ask.compute_milli, rows.card_free_milli
        tightest = np.where(rows.card_usable & rows.card_shareable & (room >= need), room, _NO_CARD).min(1)
        return {"fit_order": (tightest < _NO_CARD) - np.int64(1), "fullness": need / tightest}


class WholeCards:
    """Stands for `card-fit` and `chosen-cards` where whole cards are asked for: they are counted by bits.

    Cards of one replica are of one kind.
    """

    name = "card-fit"
    reads = ("kind_masks", "wholly_free", "links_id", "cards_id", "pools")
    produces = ("fit_order", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        free = rows.kind_masks & rows.wholly_free[:, None]
        if demands(ask) and ask.card_counts[0] > 1:
            return _linked(ask, rows, free)
        left = _ONES.take(free).max(1) - ask.card_counts[0]
        fits = left >= 0
        return {"fit_order": fits - np.int64(1), "fullness": whole_fullness(fits, left)}


def _linked(ask: Ask, rows: Rows, free: Numbers) -> Mapping[str, Column]:
    """Of the kinds whose cards are linked as the ask demands the one with the most; else what they lack."""
    order, most = np.full(rows.size, UNFIT), np.full(rows.size, UNFIT)
    left = _ONES.take(free) - ask.card_counts[0]
    for kind in np.flatnonzero((left >= 0).any(0)).tolist():
        lines = np.flatnonzero(left[:, kind] >= 0)
        lacks = lacking(ask, rows, free[lines, kind], int(ask.card_counts[0]), lines)
        near, held = lines[lacks == 0], order[lines]
        tell(held, UNFIT - lacks)
        order[lines] = held
        order[near], most[near] = 0, np.maximum(most[near], left[near, kind])
    return {"fit_order": order, "fullness": whole_fullness(order >= 0, most)}
