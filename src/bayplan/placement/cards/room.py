"""How much of each card an ask may take: the one rule, for one card as for whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.placement.asks.ask import Taking
from bayplan.placement.asks.booked_memory import budget_mib, taken_mib

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.placement.asks.ask import Ask, CardNeed
    from bayplan.placement.cards.rows import CardRows

    Amounts = npt.NDArray[np.int64]

NO_ROOM = -1
"""Room 0 is not the same: a share that needs no memory fits there."""

BOUNDLESS = 1 << 40
"""The room of a card that may be oversold, in MiB: more than any need, and sums of a worker's cards stay below 2^63."""


def room_of(ask: Ask, cards: CardRows) -> Amounts:
    """MiB that each card has for the ask, NO_ROOM where it may take nothing; `holds` compares them with a need.

    Of places it is their number. `cards` shows `card_rank`, `card_share_free_mib`, `card_shareable`,
    `card_wholly_free`, `card_free_milli`, `card_memory_mib`, `card_places_free` and `card_bookings`.
    """
    usable = cards.card_rank >= 0
    if ask.taking is Taking.WHOLE:
        there = cards.card_share_free_mib if ask.rule.needs_memory else np.maximum(cards.card_memory_mib, 0)
        return np.where(usable & cards.card_wholly_free, there, NO_ROOM)
    if ask.taking is Taking.PLACES:
        return np.where(usable & (cards.card_places_free > 0), cards.card_places_free, NO_ROOM).astype(np.int64)
    if ask.exclusive:
        usable = usable & (cards.card_bookings == 0)
    if ask.compute_milli:
        usable = usable & (cards.card_free_milli >= ask.compute_milli)
    if ask.overcommit:
        usable = usable & cards.card_shareable
        known = usable & (cards.card_memory_mib >= 0) if ask.rule.needs_memory else usable
        return np.where(known, BOUNDLESS, NO_ROOM)
    free = cards.card_share_free_mib
    if not ask.rule.needs_memory:
        free = np.where(cards.card_shareable, np.maximum(free, 0), NO_ROOM)
    return np.where(usable, free, NO_ROOM)


def holds(ask: Ask, need: CardNeed, room: Any, memory_mib: Any) -> Any:
    """Which cards of that room and size hold what a shape puts on them.

    Under a fraction flag the engine takes its share whatever the model needs: all of it must be free, and enough.
    """
    if ask.fit is None:
        return room >= need.need_mib + need.headroom_mib
    enough = budget_mib(ask.fit, need, memory_mib) >= need.need_mib
    return enough & (room >= 0) & (room >= taken_mib(ask.fit, need, memory_mib))
