"""More memory sold than there is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_mib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import Look
    from bayplan.placement.planning.plan import Plan

CHANGE = "overcommit"


def ladders(look: Look) -> Iterator[Ladder]:
    """One step, and it says by how much: the engine may run out of memory."""
    for part in look.parts:
        if not part.shape.allow_overcommit:
            yield part.ladder(
                CHANGE,
                "allowOvercommit",
                False,
                (True,),
                lambda shape, step: replace(shape, allow_overcommit=step),
                lambda _, plan: f"allowOvercommit: true: {_oversold(plan)} more than is free, and it may not start",
            )


def _oversold(plan: Plan) -> str:
    return format_mib(sum(replica.placed.oversold_mib for replica in plan.replicas))
