"""Another division of the model: without the flags that fix one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.flags import flag, with_value, without, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look
    from bayplan.placement.planning.plan import Plan

CHANGE = "parallelism"
_FIXED = (("tp",), ("pp",), ("tp", "pp"))


def ladders(look: Look) -> Iterator[Ladder]:
    """Each flag that fixes a number of cards left out, then both, then fewer data-parallel copies."""
    for part in look.parts:
        for meanings in _FIXED:
            if all(flag(part.shape, meaning) for meaning in meanings):
                yield _dropped(part, meanings)
        copies = flag(part.shape, "dp")
        if copies is not None and copies.whole() > 1:
            yield _fewer_copies(part, copies.name, copies.whole())


def _dropped(part: ExaminedRole, meanings: tuple[str, ...]) -> Ladder:
    now = " ".join(written(part.shape, meaning) for meaning in meanings)
    return part.ladder(
        CHANGE,
        "backend.args",
        now,
        (None,),
        lambda shape, _: without(shape, *meanings),
        lambda _, plan: f"drop {now}: it would run as {_division(plan, part)}",
    )


def _division(plan: Plan, part: ExaminedRole) -> str:
    shapes = [replica.placed.shape for replica in plan.replicas if replica.role.name == part.role]
    return " or ".join(dict.fromkeys(f"tp {shape.tp} x pp {shape.pp}" for shape in shapes))


def _fewer_copies(part: ExaminedRole, name: str, now: int) -> Ladder:
    return part.ladder(
        CHANGE,
        "backend.args",
        written(part.shape, "dp"),
        range(now - 1, 0, -1),
        lambda shape, step: with_value(shape, "dp", str(step)),
        lambda step, _: f"data-parallel copies {now} -> {step}",
        shown=lambda step: f"{name}={step}",
    )
