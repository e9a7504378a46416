"""A quick answer to whether a workload fits: an arrangement without reasons, made in searches that ask many times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayplan.placement.asks.role_counts import members_there
from bayplan.placement.gangs.gang_planner import GangPlanner
from bayplan.placement.gangs.worker_capacity import FEW_STEPS, Steps

if TYPE_CHECKING:
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.decision.planned_cluster import PlannedCluster
    from bayplan.placement.gangs.arrangement import Arrangement

MOST_REPEATED = 8
"""Attempts of one answer that may be repeated thoroughly: each may cost a second."""


@dataclass(slots=True)
class Doubt:
    """Whether one of many attempts was cut short, so that a place may have been overlooked."""

    cut_short: bool = False
    repeated: int = 0

    def may_repeat(self) -> bool:
        """Whether one more attempt may take its time."""
        self.repeated += 1
        return self.repeated <= MOST_REPEATED


def gang_planner(state: PlannedCluster, sized: SizedWorkload, *, reasons: bool, steps: Steps) -> GangPlanner:
    """The planner of the replicas that the workload still lacks; `desired` is 0 or less where it lacks none."""
    held = state.ledger.held_by_workload(sized.workload.key)
    there = sum(members_there(sized.roles, held))
    desired = sized.workload.desired - there
    minimum = max(1, sized.workload.minimum - there) if desired > 0 else 0
    return GangPlanner(state, sized, held, desired, minimum, reasons=reasons, steps=steps)


def attempt(state: PlannedCluster, sized: SizedWorkload, doubt: Doubt | None = None) -> Arrangement | None:
    """An arrangement of at least the minimum, else None; none either where no replica is missing.

    Attempts are many, so each takes few steps; `doubt` notes one that may have overlooked a place, and lets a
    few be repeated thoroughly.
    """
    steps = Steps(FEW_STEPS)
    gang = gang_planner(state, sized, reasons=False, steps=steps)
    if gang.desired <= 0:
        return None
    found = gang.arrange()
    if doubt is not None and not found.is_whole and not found.exact:
        if steps.cut_off and doubt.may_repeat():
            found = replace(gang, steps=Steps()).arrange()
        doubt.cut_short |= not found.is_whole and not found.exact
    return found if len(found.placed) >= gang.minimum else None


def fits(state: PlannedCluster, sized: SizedWorkload, doubt: Doubt | None = None) -> bool:
    """Whether the workload fits whole."""
    found = attempt(state, sized, doubt)
    return found is not None and found.is_whole
