"""A part of one card's compute, answered from fewer columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.twins import Twin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Column
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask

_NO_CARD = np.int64(1 << 30)
"""Free compute, in thousandths, of a card that may not be used: more than any card has, so the minimum ignores it."""


class OneShare:
    """Replaces `card-fit` and `chosen-cards` where a part of one card's compute is asked for, and no memory."""

    name = "card-fit"
    reads = ("card_usable", "card_shareable", "card_free_milli")
    produces = ("fit_order", "fullness")

    def produce(self, ask: Ask, rows: Rows, cycle: Cycle) -> Mapping[str, Column]:
        need, room = ask.compute_milli, rows.card_free_milli
        tightest = np.where(rows.card_usable & rows.card_shareable & (room >= need), room, _NO_CARD).min(1)
        return {"fit_order": (tightest < _NO_CARD) - np.int64(1), "fullness": need / tightest}

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin:
        return Twin(_one_share, (ask.compute_milli,))


def _one_share(need_milli: int, usable: Any, shareable: Any, free_milli: Any) -> Any:
    tightest: Any = _NO_CARD
    for may, shares, free in zip(usable, shareable, free_milli):  # noqa: B905 (compilers know no `strict`)
        if may and shares and need_milli <= free < tightest:
            tightest = free
    return (tightest < _NO_CARD) - 1, need_milli / tightest
