"""How much memory of a card a replica books: its need, or what its engine was told to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.placement.asks.ask import FractionOf

if TYPE_CHECKING:
    from bayplan.placement.asks.ask import Ask, CardNeed, Fit


def budget_mib(fit: Fit, need: CardNeed, memory_mib: Any) -> Any:
    """The most that a replica may need of cards of that size under a fraction flag."""
    share, kept = _share(fit, need, memory_mib)
    return share // fit.fraction.denominator + kept


def taken_mib(fit: Fit, need: CardNeed, memory_mib: Any) -> Any:
    """What the engine takes of a card: its share, and where that is for weights and KV cache alone, itself on top."""
    share, kept = _share(fit, need, memory_mib)
    if fit.of is FractionOf.PORTION:
        return share // fit.fraction.denominator
    return -(-share // fit.fraction.denominator) + kept


def _share(fit: Fit, need: CardNeed, memory_mib: Any) -> tuple[Any, Any]:
    """The share times the fraction's denominator, and what the engine takes besides.

    The caller divides, rounding down or up: whole numbers stay exact, for one card as for columns.
    """
    if fit.of is not FractionOf.STATIC:
        return memory_mib * fit.fraction.numerator, 0
    return (memory_mib - need.gone_mib) * fit.fraction.numerator, need.overhead_mib


def booked_mib(ask: Ask, need: CardNeed, memory_mib: Any) -> Any:
    """What a share books on cards of that size: its need, or all that the engine was told to take."""
    return need.need_mib if ask.fit is None else taken_mib(ask.fit, need, memory_mib)
