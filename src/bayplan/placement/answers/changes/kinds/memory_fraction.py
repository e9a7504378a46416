"""No fixed share of each card: book what the model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.flags import flag, without, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "memory-fraction"


def ladders(look: Look) -> Iterator[Ladder]:
    """Without the flag the plan passes a share that fits the model and the chosen cards."""
    for part in look.parts:
        if flag(part.shape, "fraction") is not None:
            yield _ladder(part, written(part.shape, "fraction"))


def _ladder(part: ExaminedRole, now: str) -> Ladder:
    return part.ladder(
        CHANGE,
        "backend.args",
        now,
        (None,),
        lambda shape, _: without(shape, "fraction"),
        lambda _, __: f"drop {now}: the plan then passes the share that the model needs",
    )
