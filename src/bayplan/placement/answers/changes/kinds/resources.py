"""Less of a resource that is asked for by name, or none of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.frozen_map import FrozenMap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

RESOURCES = "resources"


def ladders(look: Look) -> Iterator[Ladder]:
    """One less at a time of each resource, down to none."""
    for part in look.parts:
        for name, amount in sorted(part.shape.resources.items()):
            yield _less(part, name, amount)


def _less(part: ExaminedRole, name: str, now: int) -> Ladder:
    return part.ladder(
        RESOURCES,
        f"resources.{name}",
        now,
        range(now - 1, -1, -1),
        lambda shape, step: _with_amount(shape, name, step),
        lambda step, _: f"{name} {now:,} -> {step:,}" if step else f"ask for no {name}",
        named=lambda step: f"{step:,}",
    )


def _with_amount(shape: Shape, name: str, amount: int) -> Shape:
    others = {key: value for key, value in shape.resources.items() if key != name}
    return replace(shape, resources=FrozenMap({**others, **({name: amount} if amount else {})}))
