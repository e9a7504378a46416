"""Victims: the set of least harm whose going lets a workload fit whole, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.placement.gangs.attempt import Doubt, fits
from bayplan.placement.preemption.candidate_victims import CandidateVictims
from bayplan.placement.preemption.counted_members import CountedMembers
from bayplan.placement.preemption.hypothetical import HypotheticalRows
from bayplan.placement.preemption.many_workers import MOST_PLANS, Several
from bayplan.placement.preemption.missing_members import missing_members
from bayplan.placement.preemption.one_worker import least
from bayplan.placement.preemption.units import Budgets, bookings_of, units_of

if TYPE_CHECKING:
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.decision.planned_cluster import PlannedCluster
    from bayplan.placement.preemption.units import Unit, Units
    from bayplan.placement.preemption.victim_sets import VictimSet


@dataclass(frozen=True, slots=True)
class LeastHarm:
    """The units that must go, least harm first; where there are none, `reason` says why."""

    units: Units = ()
    proven: bool = True
    reason: str = ""


def find_victims(state: PlannedCluster, sized: SizedWorkload, below: int, *, most_plans: int = MOST_PLANS) -> LeastHarm:
    """The least harm among holders of a priority below this: highest priority, then bookings, then cards.

    The set was planned with, and each of its units is needed. `most_plans` bounds the proof that nothing less
    suffices.
    """
    budgets = Budgets(state.cluster.budgets, state.bookings)
    lower = [unit for unit in others(state, sized) if unit.priority < below]
    allowed = [unit for unit in lower if budgets.allow((unit,))] if budgets else lower
    field = CandidateVictims(state.snapshot, allowed, budgets)
    doubt = Doubt()
    choice = _for_one(state, sized, field, doubt) or _for_several(state, sized, field, most_plans, doubt)
    if choice is None:
        reason = _in_vain(state, sized, lower, below, budgets, doubt)
        return LeastHarm(proven=not doubt.cut_short, reason=reason)
    proven = choice.proven and not doubt.cut_short
    return LeastHarm(tuple(sorted(choice.units, key=lambda unit: unit.harm)), proven)


def _in_vain(
    state: PlannedCluster, sized: SizedWorkload, lower: list[Unit], below: int, budgets: Budgets, doubt: Doubt
) -> str:
    if not lower:
        return f"no booking has a priority below {below}"
    if fits(state.without(bookings_of(lower)), sized, doubt):
        return f"budgets protect the bookings in the way: {budgets.told(lower)}"
    number = len(bookings_of(lower))
    held = f"{number} booking{'s' * (number > 1)}"
    if doubt.cut_short:
        return f"no place was found even without the {held} of a priority below {below}"
    return f"it does not fit even without the {held} of a priority below {below}"


def others(state: PlannedCluster, sized: SizedWorkload) -> list[Unit]:
    """All units but the workload's own, and units of gangs to which it belongs."""
    units = units_of(state.bookings)
    own = set(map(id, state.ledger.held_by_workload(sized.workload.key)))
    return [unit for unit in units if own.isdisjoint(map(id, unit.bookings))] if own else units


def _for_one(state: PlannedCluster, sized: SizedWorkload, field: CandidateVictims, doubt: Doubt) -> VictimSet | None:
    """One missing replica that stands on one worker: exact, and all workers are asked at once."""
    missing = missing_members(state, sized)
    if len(missing) != 1:
        return None
    judge = HypotheticalRows(state, sized, missing[0], field)
    choice = None if judge.spans else least(judge)
    return choice if choice is not None and fits(state.without(bookings_of(choice.units)), sized, doubt) else None


def _for_several(
    state: PlannedCluster, sized: SizedWorkload, field: CandidateVictims, most_plans: int, doubt: Doubt
) -> VictimSet | None:
    """Counted where that is possible; what was found so is planned with once, and not believed if it does not fit."""
    if not field.units:
        return None
    counted = CountedMembers.of(state, sized, field)
    if counted is not None:
        found = Several(state, sized, field, most_plans, doubt, counted).least()
        if found is None or fits(state.without(bookings_of(found.units)), sized, doubt):
            return found
    if not fits(state.without(bookings_of(field.units)), sized, doubt):
        return None
    return Several(state, sized, field, most_plans, doubt).least()
