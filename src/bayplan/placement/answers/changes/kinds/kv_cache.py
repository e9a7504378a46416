"""A smaller KV cache, where its size was given as a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_mib
from bayplan.placement.answers.changes.edits import with_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "kv-cache"
STEP_MIB = 64


def ladders(look: Look) -> Iterator[Ladder]:
    """In steps of 64 MiB, the largest first."""
    for part in look.parts:
        now = part.shape.model.kv_cache_mib if part.shape.model else None
        if now:
            yield _ladder(part, now)


def _with_cache(shape: Shape, size_mib: int) -> Shape:
    return with_model(shape, kv_cache_mib=size_mib)


def _ladder(part: ExaminedRole, now: int) -> Ladder:
    return part.ladder(
        CHANGE,
        "model.kvCache",
        now,
        range((now - 1) // STEP_MIB * STEP_MIB, 0, -STEP_MIB),
        _with_cache,
        lambda step, _: f"KV cache {format_mib(now)} -> {format_mib(step)}",
        named=format_mib,
    )
