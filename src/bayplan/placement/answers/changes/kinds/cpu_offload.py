"""Leave to keep the model, or a part of it, in RAM."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.placement.asks.backends import OFFLOADS_PARTLY, RUNS_ON_CPU
from bayplan.placement.asks.tier import Tier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import Look
    from bayplan.placement.planning.plan import Plan

CHANGE = "cpu-offload"


def ladders(look: Look) -> Iterator[Ladder]:
    """One step, where the engine can and the workload does not allow it yet."""
    for part in look.parts:
        able = part.sized.engine.name in OFFLOADS_PARTLY | RUNS_ON_CPU
        if able and part.sized.need is not None and not part.shape.cpu_offload:
            yield part.ladder(
                CHANGE,
                "cpuOffload",
                False,
                (True,),
                lambda shape, step: replace(shape, cpu_offload=step),
                lambda _, plan: f"cpuOffload: true: {_where(plan)}, and slow",
            )


def _where(plan: Plan) -> str:
    tiers = {replica.placed.tier for replica in plan.replicas}
    return "partly in RAM" if Tier.PARTIAL_OFFLOAD in tiers else "on the CPU"
