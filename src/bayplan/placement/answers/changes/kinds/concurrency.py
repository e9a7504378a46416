"""Fewer requests at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.edits import with_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "concurrency"


def ladders(look: Look) -> Iterator[Ladder]:
    """Down to one, where the size of the cache follows from it."""
    for part in look.parts:
        model = part.shape.model
        now = None if model is None else model.concurrency
        if model is not None and now is not None and now > 1 and model.kv_cache_mib is None:
            yield _ladder(part, now)


def _with_concurrency(shape: Shape, requests: int) -> Shape:
    return with_model(shape, concurrency=requests)


def _ladder(part: ExaminedRole, now: int) -> Ladder:
    return part.ladder(
        CHANGE,
        "model.concurrency",
        now,
        range(now - 1, 0, -1),
        _with_concurrency,
        lambda step, _: f"concurrency {now:,} -> {step:,} requests at a time",
        named=lambda step: f"{step:,}",
    )
