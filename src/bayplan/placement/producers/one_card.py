"""A share of one card, the commonest question, answered from fewer columns."""

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

    def twin(self, ask: Ask, shared: Mapping[str, Any]) -> Twin:
        return Twin(_one_card, (int(ask.needs_mib[0]), int(ask.rooms_mib[0])))


def _one_card(need_mib: int, room_mib: int, usable: Any, free_mib: Any) -> Any:
    tightest: Any = _NEVER
    for may, free in zip(usable, free_mib):  # noqa: B905 (compilers know no `strict`)
        if may and room_mib <= free < tightest:
            tightest = free
    return (tightest < _NEVER) - 1, need_mib / max(tightest, 1)
