"""The share of a card that an engine is told to take, exact until it is written with four digits."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.placement.planning.card_states import CardState
    from bayplan.placement.planning.engine_args.start import Start

_STEPS = 10_000
"""Four digits: one step is 8 MiB of a card of 80 GiB."""

_SLACK = Fraction(103, 100)
"""A need is an estimate: an engine that needs up to 3 % more still starts, where that is free."""

_ALL, _MOST_STATIC = Fraction(1), Fraction(99, 100)
"""The largest share: all of a card for vLLM; SGLang needs a part for what is not static."""


def vllm_share(start: Start) -> str | None:
    """Of the whole card, whatever else is on it. None where no card of known size is taken."""
    card = _smallest(start)
    if card is None:
        return None
    if start.need.takes_rest:
        return _down(Fraction(card.free_mib - start.gone_mib, card.memory_mib))
    return _slack_share(start.placed.shape.need_mib, card.free_mib - start.headroom_mib, card.memory_mib)


def sglang_share(start: Start) -> str | None:
    """For weights and KV cache, of what is free before weights are loaded."""
    card = _smallest(start)
    if card is None:
        return None
    overhead = start.overhead_mib
    if start.need.takes_rest:
        free = card.free_mib - start.gone_mib
        return _down(Fraction(free - overhead, free)) if free > overhead else None
    static = start.placed.shape.need_mib - overhead
    free = card.memory_mib - card.used_mib - start.gone_mib
    if free <= 0:
        return None
    return _slack_share(static, card.free_mib - start.headroom_mib - overhead, free, _MOST_STATIC)


@lru_cache(maxsize=4096)
def _slack_share(need_mib: int, most_mib: int, of_mib: int, limit: Fraction = _ALL) -> str:
    """A little more than the need where that is free, and never less: a card that is oversold gives it all the same.

    Rounded up: what was booked must be enough.
    """
    taken = max(Fraction(need_mib), min(_SLACK * need_mib, Fraction(most_mib)))
    return _written(-(-min(taken / of_mib, limit) * _STEPS // 1))


def _smallest(start: Start) -> CardState | None:
    """The card that limits the share: one fraction holds for all cards."""
    known = [card for card in start.cards if card.memory_mib > 0]
    return min(known, key=lambda card: (card.memory_mib, card.memory_mib - card.used_mib), default=None)


def _down(share: Fraction) -> str:
    return _written(share * _STEPS // 1)


def _written(steps: int) -> str:
    steps = max(0, min(_STEPS, steps))
    return f"{steps // _STEPS}.{steps % _STEPS:04d}"
