"""Leave to span several workers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.workload import Locality
from bayplan.placement.asks.backends import SPANS_WORKERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look
    from bayplan.placement.planning.plan import Plan

CHANGE = "distributed"


def ladders(look: Look) -> Iterator[Ladder]:
    """One step, where the engine can and the workload does not allow it yet."""
    for part in look.parts:
        if _could_span(part):
            yield _ladder(part)


def _could_span(part: ExaminedRole) -> bool:
    gpus = part.gpus
    if part.shape.distributed or (gpus is not None and gpus.locality is Locality.ANY):
        return False
    if part.sized.need is None:
        return gpus is not None and (gpus.count or 1) > 1
    return part.sized.engine.name in SPANS_WORKERS


def _most_workers(plan: Plan, part: ExaminedRole) -> str:
    most = max((len(each.placed.bookings) for each in plan.replicas if each.role.name == part.role), default=1)
    return f"{most} worker{'' if most == 1 else 's'}"


def _ladder(part: ExaminedRole) -> Ladder:
    return part.ladder(
        CHANGE,
        "distributed",
        False,
        (True,),
        lambda shape, step: replace(shape, distributed=step),
        lambda _, plan: f"distributed: true: a replica would run on {_most_workers(plan, part)}",
    )
