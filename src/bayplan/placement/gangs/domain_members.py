"""Equal members inside one domain: which domain, by counting over all domains at once; then where inside."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.constraints.within import AllowedDomains
from bayplan.placement.decision.tuning import tuning_of
from bayplan.placement.gangs.arrangement import Arrangement
from bayplan.placement.gangs.domain_rooms import member_rooms
from bayplan.placement.gangs.equal_members import FEW_REPLICAS, take_copies
from bayplan.placement.gangs.lookahead import MOST_COPIES, Copies
from bayplan.placement.gangs.trial import Limits, Trial, members_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.cluster.topology import Level
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.decision.options import Option
    from bayplan.placement.gangs.gang_planner import GangPlanner

    Wanted = list[tuple[SizedRole, int]]
    Rooms = npt.NDArray[np.int64]


def count_members(gang: GangPlanner, level: Level) -> Arrangement | None:
    """Where the members go; None where they cannot be counted and have to be tried, domain by domain.

    A domain's room is what it could hold, also beyond the members that are wanted. Members with several tiers are
    counted in the first, and only where a domain holds all of them there.
    """
    trial = Trial(gang.state, gang.sized, gang.held, gang.minimum, reasons=False)
    wanted = [(role, missing) for role, missing in trial.missing() if missing]
    spread = gang.sized.workload.spread_over
    if gang.held or spread is not None or len({role.shape for role, _ in wanted}) != 1:
        return None
    role = wanted[0][0]
    asked = trial.asked(role, gang.desired)
    asks = asked.asks
    if not trial.counts(role, asks[0]):
        return None
    widest = asked.with_left(trial.snapshot, max(MOST_COPIES, gang.desired)).asks[0]
    on_workers = member_rooms(trial, role, widest, gang.desired)
    if on_workers is None:
        return None
    rooms = trial.snapshot.domains[level].sums(on_workers)
    domain = _domain(rooms, gang.desired, gang.desired if len(asks) > 1 else gang.minimum)
    if domain is None:
        return None if len(asks) > 1 else _refused(gang, level, wanted, rooms)
    found = _inside(gang, level, domain, wanted, asks[0])
    if gang.reasons and len(found.placed) < gang.desired:
        found.trial.refused = _refused(gang, level, wanted, rooms).trial.refused
    return found


def _domain(rooms: Rooms, desired: int, minimum: int) -> int | None:
    """The domain with the least room that holds all; where none does, the one with the most, if that is enough."""
    if not len(rooms):
        return None
    best = int((rooms - desired).view(np.uint64).argmin())  # too little room wraps to more than any other
    if rooms.item(best) < desired:
        best = int(rooms.argmax())
    return best if rooms.item(best) >= minimum else None


def _inside(gang: GangPlanner, level: Level, domain: int, wanted: Wanted, ask: Ask) -> Arrangement:
    """As many members as the domain holds."""
    desired = gang.desired
    limits = Limits(within=AllowedDomains(level, np.array([domain], np.int64), gang.minimum))
    if desired <= FEW_REPLICAS:
        trial = Trial(gang.state, gang.sized, (), gang.minimum, reasons=gang.reasons, limits=limits)
        return Arrangement(trial, trial.place(desired), desired, exact=True)
    trial = Trial(gang.state, gang.sized, (), gang.minimum, reasons=False)
    shape, numbers = wanted[0][0].shape, count()
    rows = trial.snapshot.domains[level].rows(domain)
    copies = Copies(trial.strategies, shape.strategy, ask, trial.table, tuning_of(shape), rows=rows)
    members = [(role, next(numbers)) for role, missing in wanted for _ in range(missing)]
    found = Arrangement(trial, [], desired, exact=True)
    while len(found.placed) < desired and (picked := copies.pick(desired - len(found.placed))):
        start = len(found.placed)
        found.placed += take_copies(trial, copies, picked, members[start : start + len(picked)])
    trial.blocked = _names(gang, wanted, len(found.placed))
    if gang.reasons:
        trial.options = _options(gang, limits)
    return found


def _names(gang: GangPlanner, wanted: Wanted, placed: int) -> list[str]:
    """The names of the members that are left out."""
    names = []
    for role, missing in wanted:
        names += members_of(gang.sized.workload, role, max(0, missing - placed))
        placed = max(0, placed - missing)
    return names


def _refused(gang: GangPlanner, level: Level, wanted: Wanted, rooms: Rooms) -> Arrangement:
    """No domain holds them: every worker says how many its own does."""
    nowhere = Limits(within=AllowedDomains(level, np.zeros(0, np.int64), gang.desired, rooms))
    trial = Trial(gang.state, gang.sized, (), gang.minimum, reasons=gang.reasons, limits=nowhere)
    trial.place(1)
    trial.blocked = _names(gang, wanted, int(rooms.max(initial=0)))
    return Arrangement(trial, [], gang.desired, exact=True)


def _options(gang: GangPlanner, limits: Limits) -> tuple[Option, ...]:
    """What was considered for the first member in the domain of the gang."""
    trial = Trial(gang.state, gang.sized, (), gang.minimum, limits=limits)
    trial.place(1)
    return trial.options
