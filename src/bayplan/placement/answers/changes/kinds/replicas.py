"""Fewer replicas, or a smaller gang."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.placement.answers.changes.case import with_replicas
from bayplan.placement.answers.changes.ladder import Ladder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

REPLICAS = "replicas"
GANG = "gang-minimum"


def ladders(look: Look) -> Iterator[Ladder]:
    """The most replicas that fit; and where a gang must start together, the largest that could."""
    yield from _fewer(look)
    yield from _smaller_gang(look)


def _fewer(look: Look) -> Iterator[Ladder]:
    """A workload of which nothing new is placed is no answer."""
    workload = look.sized.workload
    least = look.booked + 1
    if workload.gang is not None and workload.gang.minimum is not None:
        least = max(least, workload.gang.minimum)
    for part in look.parts:
        spare = workload.desired - least
        fewest = max(0 if part.role else 1, part.replicas - spare)
        if fewest < part.replicas:
            yield _ladder(part, fewest)


def _ladder(part: ExaminedRole, fewest: int) -> Ladder:
    now = part.replicas
    return Ladder(
        change=REPLICAS,
        field=part.field("replicas"),
        before=now,
        steps=range(now - 1, fewest - 1, -1),
        apply=lambda case, step: replace(case, sized=with_replicas(case.sized, part.number, step)),
        told=lambda step, _: part.sentence(f"{step} replica{'' if step == 1 else 's'} instead of {now}"),
    )


def _smaller_gang(look: Look) -> Iterator[Ladder]:
    workload = look.sized.workload
    if workload.gang is None or not workload.gang.declared or workload.minimum <= look.booked + 1:
        return
    now = workload.minimum
    yield Ladder(
        change=GANG,
        field="gang.minimum",
        before=now,
        steps=range(min(now - 1, workload.desired), look.booked, -1),
        apply=_with_minimum,
        told=lambda step, plan: f"gang minimum {now} -> {step}: {len(plan.replicas)} would start",
        partly=True,
    )


def _with_minimum(case: Case, minimum: int) -> Case:
    workload = case.sized.workload
    gang = None if workload.gang is None else replace(workload.gang, minimum=minimum)
    return replace(case, sized=replace(case.sized, workload=replace(workload, gang=gang)))
