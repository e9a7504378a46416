"""Flags of vLLM and SGLang: one table, because both have the same flags under different names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bayplan.placement.planning.engine_args.shares import sglang_share, vllm_share

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.placement.planning.engine_args.start import Start

    Value = Callable[[Start], int | str | None]


class Told(NamedTuple):
    """A flag, what it means (as `sizing.engine` reads it), and its value; None: it is left out."""

    flag: str
    meaning: str
    value: Value


def _context(start: Start) -> int | None:
    return start.need.context


def _sequences(start: Start) -> int | None:
    """Told where it was asked for, or counted."""
    counted = start.concurrency_given or not start.need.overhead_given
    return start.need.sequences if counted else None


def _step_tokens(start: Start) -> int | None:
    """Told where overhead or windows were sized with it."""
    return start.need.step_tokens


def _tensor_parallel(start: Start) -> int | None:
    return start.placed.shape.tp if start.placed.shape.tp > 1 else None


def _pipeline_parallel(start: Start) -> int | None:
    return start.placed.shape.pp if start.placed.shape.pp > 1 else None


def _vllm_kv_dtype(start: Start) -> str | None:
    """16 bits are what engines take by themselves."""
    return start.kv_dtype if (start.kv_dtype or "").startswith("fp8") else None


def _sglang_kv_dtype(start: Start) -> str | None:
    """SGLang has no kind that is called fp8 alone."""
    return "fp8_e4m3" if start.kv_dtype == "fp8" else _vllm_kv_dtype(start)


def _cache_bytes(start: Start) -> int | None:
    """VLLM takes that much cache on each card, whatever its share leaves."""
    shape = start.placed.shape
    return start.need.cache_bytes_on(shape.tp, shape.pp) or None if _tells_cache(start) else None


def _total_tokens(start: Start) -> int | None:
    """SGLang's pool, where it follows from the context; it can only be lowered so."""
    need = start.need
    if not _tells_cache(start) or need.kv_given or not need.kv_bytes or need.context is None:
        return None
    return need.blocked_context * need.concurrency


def _tells_cache(start: Start) -> bool:
    """Whether the cache has a size of its own: not what a given share leaves, and not what windows and states pad."""
    need = start.need
    left_to_engine = "fraction" in start.given or need.takes_rest or not start.cards
    return not (left_to_engine or need.windowed or need.stateful)


VLLM = (
    Told("--max-model-len", "context", _context),
    Told("--max-num-seqs", "concurrency", _sequences),
    Told("--max-num-batched-tokens", "batch-tokens", _step_tokens),
    Told("--kv-cache-dtype", "kv-dtype", _vllm_kv_dtype),
    Told("--tensor-parallel-size", "tp", _tensor_parallel),
    Told("--pipeline-parallel-size", "pp", _pipeline_parallel),
    Told("--gpu-memory-utilization", "fraction", vllm_share),
    Told("--kv-cache-memory-bytes", "cache-bytes", _cache_bytes),
)
SGLANG = (
    Told("--context-length", "context", _context),
    Told("--max-running-requests", "concurrency", _sequences),
    Told("--chunked-prefill-size", "batch-tokens", _step_tokens),
    Told("--kv-cache-dtype", "kv-dtype", _sglang_kv_dtype),
    Told("--tp-size", "tp", _tensor_parallel),
    Told("--pp-size", "pp", _pipeline_parallel),
    Told("--mem-fraction-static", "fraction", sglang_share),
    Told("--max-total-tokens", "total-tokens", _total_tokens),
)
