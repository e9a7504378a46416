"""Victims: the set of least harm whose going lets a workload fit whole, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.placement.plans import Verdict
from bayplan.placement.preemption.alone import least
from bayplan.placement.preemption.choice import Doubt
from bayplan.placement.preemption.field import Field
from bayplan.placement.preemption.judging import Judge
from bayplan.placement.preemption.missing import missing_members
from bayplan.placement.preemption.together import MOST_PLANS, Several
from bayplan.placement.preemption.units import Budgets, bookings_of, units_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.placement.planner import Planner
    from bayplan.placement.plans import Request
    from bayplan.placement.preemption.choice import Choice
    from bayplan.placement.preemption.units import Unit, Units


@dataclass(frozen=True, slots=True)
class Found:
    """Who must go, in the order of their harm; nobody, and then `reason` says why."""

    units: Units = ()
    proven: bool = True
    reason: str = ""


def find_victims(planner: Planner, request: Request, below: int, *, most_plans: int = MOST_PLANS) -> Found:
    """The least harm among holders of a priority below this: highest priority, then bookings, then cards.

    Whatever is found was planned with, and nobody in it could stay. `most_plans` bounds the proof that nothing less
    suffices.
    """
    budgets = Budgets(planner.cluster.budgets, planner.bookings)
    lower = [unit for unit in others(planner, request) if unit.priority < below]
    field = Field(planner.snapshot, (unit for unit in lower if budgets.allow((unit,))), budgets)
    doubt = Doubt()
    choice = _for_one(planner, request, field, doubt) or _for_several(planner, request, field, most_plans, doubt)
    if choice is None:
        reason = _in_vain(planner, request, lower, below, budgets, doubt)
        return Found(proven=not doubt.cut_short, reason=reason)
    proven = choice.proven and not doubt.cut_short
    return Found(tuple(sorted(choice.units, key=lambda unit: unit.harm)), proven)


def _in_vain(planner: Planner, request: Request, lower: list[Unit], below: int, budgets: Budgets, doubt: Doubt) -> str:
    if not lower:
        return f"no booking has a priority below {below}"
    if fits(planner, request, lower, doubt):
        return f"budgets protect the bookings in the way: {budgets.told(lower)}"
    number = len(bookings_of(lower))
    held = f"{number} booking{'s' * (number > 1)}"
    if doubt.cut_short:
        return f"no place was found even without the {held} of a priority below {below}"
    return f"it does not fit even without the {held} of a priority below {below}"


def others(planner: Planner, request: Request) -> Iterable[Unit]:
    """Everybody but the workload itself, and those who would fall with it."""
    own = request.workload.key
    for unit in units_of(planner.bookings):
        if all(booking.key != own for booking in unit.bookings):
            yield unit


def fits(planner: Planner, request: Request, gone: Iterable[Unit], doubt: Doubt | None = None) -> bool:
    """Whether the workload fits whole without them."""
    plan = planner.relieved(bookings_of(gone)).attempt(request, doubt)
    return plan is not None and plan.verdict is Verdict.FITS


def _for_one(planner: Planner, request: Request, field: Field, doubt: Doubt) -> Choice | None:
    """One missing replica that stands on one worker: exact, and all workers are asked at once."""
    missing = missing_members(planner, request)
    if len(missing) != 1:
        return None
    judge = Judge(planner, request, missing[0], field)
    choice = None if judge.spans else least(judge)
    return choice if choice is not None and fits(planner, request, choice.units, doubt) else None


def _for_several(planner: Planner, request: Request, field: Field, most_plans: int, doubt: Doubt) -> Choice | None:
    if not field.units or not fits(planner, request, field.units, doubt):
        return None
    return Several(planner, request, field, most_plans, doubt).least()
