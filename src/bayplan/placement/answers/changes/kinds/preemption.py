"""Bookings that would have to be evicted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.workload import Preemption
from bayplan.placement.answers.changes.ladder import Ladder, listed
from bayplan.placement.planning.plan import Verdict
from bayplan.placement.preemption.least_harm import find_victims
from bayplan.placement.preemption.many_workers import FEW_PLANS
from bayplan.placement.preemption.units import bookings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.workload import Workload
    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.look import Look
    from bayplan.placement.preemption.units import Unit, Units

CHANGE = "preempt"
RAISE = "priority"
HIGHEST = 1_000_000_000
"""The highest priority that Kubernetes lets users give; what is above it belongs to the system and stays."""


def ladders(look: Look) -> Iterator[Ladder]:
    """The least harm that suffices among holders of a lower priority; where there is none, the priority it would take.

    Whether the workload itself may preempt does not matter here: somebody may decide what the workload may not.
    """
    if look.verdict is Verdict.INFEASIBLE:
        return
    own = look.sized.workload.id.priority
    units = find_victims(look.planner.state, look.sized, own, most_plans=FEW_PLANS).units
    if units:
        yield _ladder((units[:-1], units) if len(units) > 1 else (units,))
    elif units := find_victims(look.planner.state, look.sized, HIGHEST, most_plans=FEW_PLANS).units:
        yield _raised(look.sized.workload, units)


def _raised(workload: Workload, units: Units) -> Ladder:
    """A priority is of no use to a workload that never preempts, so the sentence names both fields."""
    leave = (
        "" if workload.preemption is Preemption.LOWER_PRIORITY else f", with preemption: {Preemption.LOWER_PRIORITY},"
    )
    needed = max(unit.priority for unit in units) + 1
    return Ladder(
        change=RAISE,
        field="priority",
        before=workload.id.priority,
        steps=(needed,),
        apply=lambda case, priority: _without(_with_priority(case, priority), units),
        told=lambda priority, _: f"raise priority to {priority}{leave} to preempt {listed(units)}",
    )


def _with_priority(case: Case, priority: int) -> Case:
    workload = case.sized.workload
    raised = replace(workload, id=replace(workload.id, priority=priority))
    return replace(case, sized=replace(case.sized, workload=raised))


def _ladder(steps: tuple[Units, ...]) -> Ladder:
    return Ladder(
        change=CHANGE,
        field="bookings",
        before=None,
        steps=steps,
        apply=_without,
        short="is not enough",
        told=lambda step, _: f"preempt {listed(step)}",
        named=listed,
        shown=lambda step: [_shown(unit) for unit in step],
    )


def _shown(unit: Unit) -> dict[str, object]:
    owner, gang = unit.owner, unit.gang
    return {
        "workload": owner.name if gang is None else gang.name,
        "namespace": owner.namespace,
        "replica": owner.replica if gang is None else None,
        "priority": unit.priority,
        "workers": unit.workers,
    }


def _without(case: Case, units: Units) -> Case:
    return replace(case, gone=(*case.gone, *bookings_of(units)))
