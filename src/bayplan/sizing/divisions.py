"""The ways in which a replica may be divided over cards, in the order in which they are tried."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.sizing.engine import Engine
    from bayplan.sizing.need import Need

VOCABULARY_STEP = 64
"""Engines pad the vocabulary to a multiple of this before they cut it."""

MOST_PARTS = 4096
"""The largest tp or pp that is searched: far above any real division, so that a hostile number cannot take long."""


@dataclass(frozen=True, slots=True)
class Division:
    """A replica as dp copies of tp x pp cards, and what each card holds."""

    tp: int
    pp: int
    dp: int
    card_mib: int
    static_mib: int

    @property
    def overhead_mib(self) -> int:
        return self.card_mib - self.static_mib

    @property
    def cards(self) -> int:
        return self.tp * self.pp * self.dp


@lru_cache(maxsize=256)
def divisions(need: Need, engine: Engine, most_cards: int) -> tuple[Division, ...]:
    """Every allowed division over at most `cards` cards; the need must be known.

    Divisions without a pipeline come first, fewest cards first; then pipelines, fewest cards first, and for the same
    number of cards the largest tp first.
    """
    return tuple(_divided(need, engine, tp, pp) for tp, pp in shapes(need, engine, most_cards))


def allowed_for(need: Need, engine: Engine, cards: int) -> tuple[Division, ...]:
    """The divisions over exactly `cards` cards, in the same order."""
    return tuple(each for each in divisions(need, engine, cards) if each.cards == cards)


@lru_cache(maxsize=256)
def shapes(need: Need, engine: Engine, most_cards: int) -> tuple[tuple[int, int], ...]:
    """The tp and pp of these divisions; they are known even where the size of the need is not."""
    most = most_cards // engine.dp
    found = [(tp, pp) for tp in _tps(need, engine, most) for pp in _pps(need, engine, most // tp)]
    return tuple(sorted(found, key=lambda shape: (shape[1] > 1, shape[0] * shape[1], -shape[0])))


def tp_obstacle(need: Need, tp: int) -> str | None:
    """Why vLLM and SGLang cannot cut the model in tp equal parts, or None."""
    if need.heads and need.heads % tp:
        return f"tensor parallel {tp} does not divide {need.heads} attention heads"
    if need.kv_heads and need.kv_heads % tp and tp % need.kv_heads:
        return f"tensor parallel {tp} and {need.kv_heads} KV heads do not divide each other"
    if need.vocab_size and -(-need.vocab_size // VOCABULARY_STEP) * VOCABULARY_STEP % tp:
        return f"tensor parallel {tp} does not divide a vocabulary of {need.vocab_size:,}"
    if need.vision_heads and need.vision_heads % tp:
        return f"tensor parallel {tp} does not divide {need.vision_heads} vision heads"
    return next((reason for size in need.block_sizes if (reason := _cut_block(size, need.block, tp))), None)


def _cut_block(size: int, block: int, tp: int) -> str | None:
    """Why this tp is refused: it would cut through a block of weights; None where it cuts between blocks."""
    if size % tp or size // tp % block:
        return f"tensor parallel {tp} cuts an inner size of {size:,} through its blocks of {block}"
    return None


def _divided(need: Need, engine: Engine, tp: int, pp: int) -> Division:
    static_mib = need.static_mib(tp, pp)
    return Division(tp, pp, engine.dp, static_mib + need.overhead_on(tp, pp), static_mib)


def _tps(need: Need, engine: Engine, most: int) -> Iterator[int]:
    """The tp to search: a flag as it is, else divisors of the heads; powers of two where the heads are unknown."""
    if engine.name == "llama-cpp":
        yield from range(1, min(most, 1) + 1)
    elif engine.name == "custom":
        yield from range(1, min(most, MOST_PARTS) + 1)
    elif engine.tp is not None:
        if engine.tp <= most and tp_obstacle(need, engine.tp) is None:
            yield engine.tp
    else:
        for tp in range(1, min(most, need.heads or most, MOST_PARTS) + 1):
            if tp_obstacle(need, tp) is None and (need.heads or tp & (tp - 1) == 0):
                yield tp


def _pps(need: Need, engine: Engine, most: int) -> Iterator[int]:
    if not engine.divides_layers:
        yield 1
    elif engine.pp is not None:
        if engine.pp <= min(most, need.layers or most):
            yield engine.pp
    else:
        yield from range(1, min(most, need.layers or most, MOST_PARTS) + 1)
