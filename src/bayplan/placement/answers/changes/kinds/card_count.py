"""Another number of cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.edits import with_gpus
from bayplan.sizing.divisions import allowed_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "gpu-count"
MOST_CARDS = 16


def ladders(look: Look) -> Iterator[Ladder]:
    """Fewer cards; where a model is divided over them, more cards too, each with a smaller share."""
    for part in look.parts:
        now = part.gpus.count if part.gpus else None
        if now is None:
            continue
        fewer = _allowed(part, range(now - 1, 0, -1))
        if fewer:
            yield _ladder(part, now, fewer, monotone=part.sized.need is None)
        if part.sized.need is not None and (more := _allowed(part, range(now + 1, MOST_CARDS + 1))):
            yield _ladder(part, now, more, monotone=False)


def _ladder(part: ExaminedRole, now: int, steps: Sequence[int], *, monotone: bool) -> Ladder:
    what = "MIG instance" if part.gpus and part.gpus.mig else "card"
    return part.ladder(
        CHANGE,
        "gpus.count",
        now,
        steps,
        _with_count,
        lambda step, _: f"{step} {what}{'' if step == 1 else 's'} instead of {now}",
        monotone=monotone,
    )


def _allowed(part: ExaminedRole, counts: range) -> Sequence[int]:
    need, engine = part.sized.need, part.sized.engine
    if need is None:
        return counts
    if need.unknown is not None:
        return ()
    if engine.name == "llama-cpp":
        return [count for count in counts if count <= MOST_CARDS]
    return [count for count in counts if count <= 4 * MOST_CARDS and allowed_for(need, engine, count)]


def _with_count(shape: Shape, count: int) -> Shape:
    """No container asks for more of the devices than there are."""
    most = shape.gpus.per_container if shape.gpus else 0
    return with_gpus(shape, count=count, per_container=min(most, count))
