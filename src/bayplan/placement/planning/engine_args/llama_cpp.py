"""Flags of llama.cpp: slots and their context, layers on cards, and how the cards divide them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.planning.engine_args.flags import Told
from bayplan.sizing.engine import USUAL_BATCH_TOKENS

if TYPE_CHECKING:
    from bayplan.cluster.booking import CardBooking
    from bayplan.placement.planning.engine_args.start import Start

KINDS = frozenset({"f32", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"})
"""Kinds of KV cache that llama.cpp must be told: f16 is what it takes by itself."""


def _context(start: Start) -> int | None:
    """llama.cpp divides its context by its slots."""
    return None if start.need.context is None else start.need.context * start.need.concurrency


def _slots(start: Start) -> int | None:
    return None if start.need.context is None else start.need.concurrency


def _gpu_layers(start: Start) -> int | None:
    """The output counts as one more layer where all are on cards."""
    if not _cards(start):
        return 0
    every = start.need.layers
    if every is None:
        return None
    held = [part.layers for part in start.placed.shares if part.layers is not None]
    return every + 1 if not held or sum(held) >= every else sum(held)


def _tensor_split(start: Start) -> str | None:
    """What each card holds, in layers, in the order of the cards."""
    if not any(len(part.booking.cards) > 1 for part in start.placed.shares):
        return None
    return ",".join(str(_held(start, card)) for card in _cards(start))


def _held(start: Start, card: CardBooking) -> int:
    """Layers of a card: what it books beside the engine, which is rounded up, over what one of them takes."""
    layer_mib = start.need.layer_mib
    static_mib = (card.memory_mib or 0) - start.overhead_mib
    return max(1, int(static_mib // layer_mib)) if layer_mib else 1


def _cards(start: Start) -> list[CardBooking]:
    return [card for part in start.placed.shares for card in part.booking.cards]


def _batch_tokens(start: Start) -> int | None:
    return None if start.need.overhead_given else USUAL_BATCH_TOKENS


def _ubatch_tokens(start: Start) -> int | None:
    return None if start.need.overhead_given else start.need.step_tokens


def _cache_kind(start: Start) -> str | None:
    return start.kv_dtype if start.kv_dtype in KINDS else None


LLAMA_CPP = (
    Told("--ctx-size", "context", _context),
    Told("--parallel", "concurrency", _slots),
    Told("--batch-size", "batch-tokens", _batch_tokens),
    Told("--ubatch-size", "ubatch-tokens", _ubatch_tokens),
    Told("--cache-type-k", "kv-dtype", _cache_kind),
    Told("--cache-type-v", "v-dtype", _cache_kind),
    Told("--n-gpu-layers", "gpu-layers", _gpu_layers),
    Told("--tensor-split", "tensor-split", _tensor_split),
)
