"""The mildest step of a ladder that fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.placement.answers.changes.change import Change, TakenStep
from bayplan.placement.planning.plan import Verdict

if TYPE_CHECKING:
    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.oracle import Oracle
    from bayplan.placement.planning.plan import Plan


def climb(oracle: Oracle, case: Case, ladder: Ladder) -> Change | None:
    """The change with the mildest step that fits, None where no step does.

    Whatever the ladder promises, the step before was planned too, and does not fit.
    """
    found = mildest(oracle, case, ladder)
    if found is None:
        return None
    number, plan = found
    changed = ladder.apply(case, ladder.steps[number])
    return Change((TakenStep(ladder, number),), changed, plan, before(oracle, case, ladder, number))


def before(oracle: Oracle, case: Case, ladder: Ladder, number: int) -> Verdict:
    """The verdict of the step before, or of the case as it is."""
    milder = _applied(case, ladder, number - 1) if number else case
    return Verdict.INFEASIBLE if milder is None else oracle.verdict(milder)


def mildest(oracle: Oracle, case: Case, ladder: Ladder) -> tuple[int, Plan] | None:
    """The number of the mildest step that fits, and its plan."""
    if not ladder.monotone:
        plans = ((number, _plan(oracle, case, ladder, number)) for number in range(len(ladder.steps)))
        return next(((number, plan) for number, plan in plans if plan is not None), None)
    low, high = 0, len(ladder.steps) - 1
    best = _plan(oracle, case, ladder, high) if high >= 0 else None
    if best is None:
        return None
    while low < high:
        middle = (low + high) // 2
        plan = _plan(oracle, case, ladder, middle)
        if plan is None:
            low = middle + 1
        else:
            high, best = middle, plan
    return high, best


def _plan(oracle: Oracle, case: Case, ladder: Ladder, number: int) -> Plan | None:
    changed = _applied(case, ladder, number)
    plan = None if changed is None else oracle.attempt(changed)
    return plan if plan is not None and (ladder.partly or plan.verdict is Verdict.FITS) else None


def _applied(case: Case, ladder: Ladder, number: int) -> Case | None:
    """None where the step makes a workload that is not valid."""
    try:
        return ladder.apply(case, ladder.steps[number])
    except InputError:
        return None
