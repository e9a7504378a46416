"""A shorter context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.edits import with_model
from bayplan.placement.answers.changes.flags import flag, with_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "context"
STEP_TOKENS = 256
LEAST_TOKENS = 1024
"""No answer is shorter than this: hardly anybody could use it."""


def ladders(look: Look) -> Iterator[Ladder]:
    """Lengths in steps of 256 tokens, the longest first."""
    for part in look.parts:
        need = part.sized.need
        now = need.context if need is not None else None
        if now is not None and _saves(part):
            yield _ladder(part, now)


def _saves(part: ExaminedRole) -> bool:
    """A cache that was given as a number does not shrink with the context."""
    less, now = part.resize(_with_context(part.shape, LEAST_TOKENS)).need, part.sized.need
    if less is None or now is None or less.kv_bytes is None or now.kv_bytes is None:
        return False
    return less.kv_bytes < now.kv_bytes


def _in_model(shape: Shape) -> bool:
    """Whether the context belongs in the model: it is given there, or no engine flag gives it."""
    told = shape.model is not None and shape.model.context is not None
    return told or flag(shape, "context") is None


def _with_context(shape: Shape, tokens: int) -> Shape:
    """A flag that is there says the same: the engine must do what was planned."""
    in_model = _in_model(shape)
    shape = with_value(shape, "context", str(tokens))
    return with_model(shape, context=tokens) if in_model else shape


def _ladder(part: ExaminedRole, now: int) -> Ladder:
    return part.ladder(
        CHANGE,
        "model.context" if _in_model(part.shape) else "backend.args",
        now,
        range((now - 1) // STEP_TOKENS * STEP_TOKENS, LEAST_TOKENS - 1, -STEP_TOKENS),
        _with_context,
        lambda step, _: f"context {now:,} -> {step:,} tokens",
        named=lambda step: f"{step:,}",
    )
