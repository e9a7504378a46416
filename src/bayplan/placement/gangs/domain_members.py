"""Equal members inside one domain: counted over all domains at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import domain_column
from bayplan.placement.asks.from_shape import ask_tiers
from bayplan.placement.constraints.within import AllowedDomains
from bayplan.placement.decision.tuning import tuning_of
from bayplan.placement.gangs.arrangement import Arrangement
from bayplan.placement.gangs.equal_gangs import GangAsk, GangPlacer
from bayplan.placement.gangs.lookahead import MOST_COPIES
from bayplan.placement.gangs.trial import Limits, Trial, members_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.cluster.topology import Level
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.decision.options import Option
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.gangs.equal_gangs import GangPlaced
    from bayplan.placement.gangs.gang_planner import GangPlanner


def count_members(planner: GangPlanner, level: Level) -> Arrangement | None:
    """Where they go; None where they cannot be counted and have to be tried, domain by domain."""
    trial = Trial(planner.state, planner.sized, planner.held, planner.minimum, reasons=False)
    wanted = [(role, missing) for role, missing in trial.missing() if missing]
    workload = planner.sized.workload
    if planner.held or workload.spread_over is not None or len({each.shape for each, _ in wanted}) != 1:
        return None
    if planner.desired > MOST_COPIES:
        return None
    role, shape = wanted[0][0], wanted[0][0].shape
    asks = trial.asked(role, planner.desired).asks
    if len(asks) != 1 or not trial.counts(role, asks[0]):
        return None
    strategies = GangPlacer(trial.strategies, shape.strategy, trial.table, tuning_of(shape))
    whose = workload.id
    widest = ask_tiers(role, trial.snapshot, MOST_COPIES).asks[0]  # a domain's room is what it could hold
    gang = GangAsk(
        whose.name, asks[0], planner.desired, planner.minimum, level, whose.priority, namespace=whose.namespace,
        rooms_by=widest,
    )  # fmt: skip
    found, writes = strategies.place(gang)
    rooms = strategies.copies(widest).sums(trial.snapshot.domains[level]).copy()  # which the writes would change
    if found is None:
        return _refused(planner, level, wanted, rooms)
    writes.apply()
    arranged = Arrangement(trial, _taken(trial, wanted, found), planner.desired, exact=True)
    left = planner.desired - len(arranged.placed)
    trial.blocked = _names(planner, wanted, len(arranged.placed))
    if planner.reasons:
        domain = trial.snapshot.table.columns[domain_column(level)][found.picked[0].row]
        trial.options = _options(planner, level, int(domain))
        if left:
            trial.refused = _refused(planner, level, wanted, rooms).trial.refused
    return arranged


def _taken(trial: Trial, wanted: list[tuple[SizedRole, int]], found: GangPlaced) -> list[Replica]:
    """The members as replicas, in the order of the document."""
    members = [role for role, missing in wanted for _ in range(missing)]
    return [
        trial.take(role, number, placed, copy.total, {})
        for number, (role, placed, copy) in enumerate(zip(members, found.members, found.picked, strict=False))
    ]


def _names(planner: GangPlanner, wanted: list[tuple[SizedRole, int]], placed: int) -> list[str]:
    """The names of those that are left out."""
    names = []
    for role, missing in wanted:
        names += members_of(planner.sized.workload, role, max(0, missing - placed))
        placed = max(0, placed - missing)
    return names


def _refused(
    planner: GangPlanner, level: Level, wanted: list[tuple[SizedRole, int]], rooms: npt.NDArray[np.int64]
) -> Arrangement:
    """No domain holds them: every worker says how many its own does."""
    nowhere = Limits(within=AllowedDomains(level, np.zeros(0, np.int64), planner.desired, rooms))
    trial = Trial(planner.state, planner.sized, (), planner.minimum, reasons=planner.reasons, limits=nowhere)
    trial.place(1)
    trial.blocked = _names(planner, wanted, int(rooms.max(initial=0)))
    return Arrangement(trial, [], planner.desired, exact=True)


def _options(planner: GangPlanner, level: Level, domain: int) -> tuple[Option, ...]:
    """What was considered for the first member in the domain of the gang."""
    limits = Limits(within=AllowedDomains(level, np.array([domain], np.int64), planner.minimum))
    trial = Trial(planner.state, planner.sized, (), planner.minimum, limits=limits)
    trial.place(1)
    return trial.options
