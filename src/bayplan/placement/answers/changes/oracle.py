"""Plans of cases: every change is asked of the very planner that said no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.placement.planning.plan import Verdict
from bayplan.placement.preemption.many_workers import FEW_PLANS
from bayplan.placement.preemption.victims import may_preempt_below

if TYPE_CHECKING:
    from bayplan.cluster.identity import ReplicaKey
    from bayplan.placement.answers.changes.case import Case
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.planning.plan import Plan
    from bayplan.placement.planning.planner import Planner

MOST_PLANS = 240
MOST_DECISIONS = 2_500_000
"""Decisions times rows (and a thousand rows for what every decision costs): some seconds of work."""

_ROWS_OF_A_DECISION = 1000
_PLANNERS_KEPT = 8  # a ladder of workers comes back to its steps; each planner holds a table of the cluster

_Key = tuple[tuple[tuple[str, str, int], ...], tuple[tuple["ReplicaKey", str], ...]]


class SpentError(Exception):
    """The search has used up its budget of plans; never raised outside of this package."""


class Oracle:
    """Answers whether a case fits, and counts what that costs: the search for changes must come to an end."""

    def __init__(self, planner: Planner, *, most_plans: int = MOST_PLANS, most_decisions: int = MOST_DECISIONS) -> None:
        self._planner = planner
        self._known: dict[_Key, Planner] = {((), ()): planner}
        self._plans_left, self._rows_left = most_plans, most_decisions
        self._told: tuple[SizedWorkload, Verdict] | None = None

    def tell(self, sized: SizedWorkload, verdict: Verdict) -> None:
        """The verdict of a thorough plan for the case without changes: a hasty plan might know less."""
        self._told = sized, verdict

    def attempt(self, case: Case) -> Plan | None:
        """The plan of a case that fits at least partly, else None."""
        self._pay(1)
        try:
            plan = self._on(case).attempt(case.sized)
            if may_preempt_below(case.sized.workload) is not None and (plan is None or plan.verdict is Verdict.PARTLY):
                plan = self._pushing(case)
        except InputError:
            return None
        self._pay(0, 0 if plan is None else len(plan.replicas) - 1)
        return plan

    def _pushing(self, case: Case) -> Plan | None:
        """A workload that may push others aside fits where it does so."""
        self._pay(0, FEW_PLANS)
        plan = self._on(case).plan(case.sized, reasons=False, thorough=False)
        return plan if plan.replicas else None

    def fits(self, case: Case) -> bool:
        """Whether all of the case's replicas have a place."""
        plan = self.attempt(case)
        return plan is not None and plan.verdict is Verdict.FITS

    def verdict(self, case: Case) -> Verdict:
        """The verdict of a plan without preemption; a workload that cannot be divided in that way is infeasible."""
        if self._told is not None and self._told[0] is case.sized and not (case.workers or case.gone):
            return self._told[1]
        self._pay(1)
        try:
            return self._on(case).plan(case.sized, reasons=False, preempting=False, thorough=False).verdict
        except InputError:
            return Verdict.INFEASIBLE

    def _pay(self, plans: int, decisions: int = 1) -> None:
        self._plans_left -= plans
        self._rows_left -= decisions * (_ROWS_OF_A_DECISION + len(self._planner.state.snapshot.workers))
        if self._plans_left < 0 or self._rows_left < 0:
            raise SpentError

    def _on(self, case: Case) -> Planner:
        key = _key(case)
        planner = self._known.get(key)
        if planner is None:
            planner = self._planner.without(case.gone) if case.gone else self._planner
            planner = planner.with_workers(case.workers) if case.workers else planner
            self._keep(key, planner)
        return planner

    def _keep(self, key: _Key, planner: Planner) -> None:
        if len(self._known) > _PLANNERS_KEPT:
            oldest = next(known for known in self._known if known != ((), ()))
            del self._known[oldest]
        self._known[key] = planner


def _key(case: Case) -> _Key:
    workers = tuple((worker.name, str(worker.status), hash(worker.gpus)) for worker in case.workers)
    return workers, tuple((booking.owner, booking.worker) for booking in case.gone)
