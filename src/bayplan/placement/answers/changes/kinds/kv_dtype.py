"""A KV cache of one byte a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.edits import with_model
from bayplan.placement.answers.changes.flags import with_value
from bayplan.sizing.kv_cache import engine_value_bytes, value_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "kv-dtype"
_NAMES = {"llama-cpp": "q8_0"}


def ladders(look: Look) -> Iterator[Ladder]:
    """One step, where the cache is known by its dtype and takes more now."""
    for part in look.parts:
        dtype = _NAMES.get(part.sized.engine.name, "fp8")
        if _saves(part, dtype):
            yield _ladder(part, _present(part), dtype)


def _saves(part: ExaminedRole, dtype: str) -> bool:
    model = part.shape.model
    if model is None or model.kv_cache_mib is not None or part.sized.need is None or not part.sized.need.kv_bytes:
        return False
    each = value_bytes(model.kv_dtype) if model.kv_dtype else engine_value_bytes(part.sized.engine)
    return value_bytes(dtype) < each


def _present(part: ExaminedRole) -> str | None:
    told = part.shape.model.kv_dtype if part.shape.model else None
    return told or part.sized.engine.kv_dtype


def _with_dtype(shape: Shape, dtype: str) -> Shape:
    """In the model, whose word counts, and in the flags of the engine, so that it does what was planned."""
    return with_model(with_value(with_value(shape, "kv-dtype", dtype), "v-dtype", dtype), kv_dtype=dtype)


def _ladder(part: ExaminedRole, now: str | None, dtype: str) -> Ladder:
    return part.ladder(
        CHANGE,
        "model.kvDtype",
        now,
        (dtype,),
        _with_dtype,
        lambda step, _: f"KV cache in {step} instead of {now or '16 bits'}",
    )
