"""Others that would have to go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.placement.changes.ladder import Ladder, listed
from bayplan.placement.plans import Verdict
from bayplan.placement.preemption.find import find_victims
from bayplan.placement.preemption.together import FEW_PLANS
from bayplan.placement.preemption.units import bookings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.changes.case import Case
    from bayplan.placement.changes.look import Look
    from bayplan.placement.preemption.units import Unit, Units

CHANGE = "preempt"


def ladders(look: Look) -> Iterator[Ladder]:
    """The least harm that suffices, among all of no higher priority: somebody may decide what the workload may not."""
    if look.verdict is Verdict.INFEASIBLE:
        return
    above = look.request.workload.id.priority + 1
    units = find_victims(look.planner, look.request, above, most_plans=FEW_PLANS).units
    if units:
        yield _ladder((units[:-1], units) if len(units) > 1 else (units,))


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
