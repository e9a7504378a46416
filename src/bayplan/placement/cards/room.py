"""How much of each card an ask may take: the one rule, for one card as for whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.placement.ask import FractionOf, Taking

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.placement.ask import Ask, Fit

    Amounts = npt.NDArray[np.int64]

NO_ROOM = -1
BOUNDLESS = 1 << 40
"""The room of a card that may be oversold."""


def room_of(ask: Ask, cards: Any) -> Amounts:
    """MiB that the ask may take of each card, NO_ROOM where it may take nothing.

    `cards` shows `card_rank`, `card_share_free_mib`, `card_shareable`, `card_wholly_free`, `card_free_milli` and
    `card_memory_mib`. A card fits a shape if its room is not less than the shape's need.
    """
    usable = cards.card_rank >= 0
    if ask.taking is Taking.WHOLE:
        return np.where(usable & cards.card_wholly_free, np.maximum(cards.card_memory_mib, 0), NO_ROOM)
    if ask.compute_milli:
        usable = usable & (cards.card_free_milli >= ask.compute_milli)
    if ask.overcommit:
        return _oversold(ask, usable & cards.card_shareable, cards.card_memory_mib)
    free = cards.card_share_free_mib
    if not ask.rule.needs_memory:
        free = np.where(cards.card_shareable, np.maximum(free, 0), NO_ROOM)
    if ask.fit is not None:
        free = _within(ask.fit, free, cards.card_memory_mib)
    return np.where(usable, free, NO_ROOM)


def _oversold(ask: Ask, usable: npt.NDArray[np.bool_], memory: Amounts) -> Amounts:
    """Room whatever is free: of memory alone, of a card that others share, and no more than a fraction flag allows."""
    known = usable & (memory >= 0) if ask.rule.needs_memory else usable
    return np.where(known, BOUNDLESS if ask.fit is None else budget_mib(ask.fit, memory), NO_ROOM)


def _within(fit: Fit, free: Amounts, memory: Amounts) -> Amounts:
    """Room under a fraction flag: the engine takes its share whatever the model needs, so all of it must be free."""
    return np.where(free >= _taken(fit, memory), budget_mib(fit, memory), NO_ROOM)


def budget_mib(fit: Fit, memory: Amounts) -> Amounts:
    """The most that a replica may need of cards of that size under a fraction flag."""
    kept = fit.overhead_mib if fit.of is FractionOf.STATIC else 0
    return memory * fit.fraction.numerator // fit.fraction.denominator + kept


def _taken(fit: Fit, memory: Any) -> Any:
    """What the engine takes of a card: its share, and where that is for weights and KV cache alone, itself on top."""
    share = -(-memory * fit.fraction.numerator // fit.fraction.denominator)
    if fit.of is FractionOf.CARD:
        return share
    return share + fit.overhead_mib - (share + fit.overhead_mib - memory) * (share + fit.overhead_mib > memory)


def booked_mib(ask: Ask, need_mib: Any, memory_mib: Any) -> Any:
    """What a share books on cards of that size: its need, or all that the engine was told to take."""
    return need_mib if ask.fit is None else _taken(ask.fit, memory_mib)
