"""How many members each domain holds at most, counted over all domains at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.asks.ask import Taking
from bayplan.placement.decision.tuning import tuning_of
from bayplan.placement.gangs.lookahead import MOST_COPIES, Copies, unconstrained
from bayplan.placement.gangs.worker_rooms import worker_rooms

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.cluster.domains import Domains
    from bayplan.cluster.topology import Level
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedRole
    from bayplan.placement.gangs.trial import Trial

    Numbers = npt.NDArray[np.int64]


def most_members(trial: Trial, level: Level) -> Numbers:
    """No domain holds more members than this, by number of the domain.

    Each role is counted as if the others were not there. Roles that take whole cards share the free ones: the roles
    that take fewest cards are counted first, because that holds most members.
    """
    domains = trial.snapshot.domains[level]
    free = free_cards(trial, domains)
    most = np.zeros(len(domains), np.int64)
    wanted = [(_whole_cards(trial, role), role, missing) for role, missing in trial.missing() if missing]
    for cards, role, missing in sorted(wanted, key=lambda each: each[0]):
        room = np.minimum(_of_role(trial, role, missing, domains), missing)
        if cards:
            room = np.minimum(room, free // cards)
            free = free - room * cards
        most += room
    return most


def free_cards(trial: Trial, domains: Domains) -> Numbers:
    """The cards of each domain that may be given whole."""
    columns = trial.table.gather(("wholly_free_count",), np.arange(trial.table.size))
    summed: Numbers = domains.sums(columns["wholly_free_count"].astype(np.int64))
    return summed


def are_counted(trial: Trial) -> bool:
    """Whether the members are equal and can be counted: then the upper bound is exact."""
    wanted = [(role, missing) for role, missing in trial.missing() if missing]
    alike = len({role.shape for role, _ in wanted}) == 1
    return alike and sum(missing for _, missing in wanted) <= MOST_COPIES and _counts(trial, *wanted[0])


def _whole_cards(trial: Trial, role: SizedRole) -> int:
    """How many whole cards one of them takes at least."""
    asks = trial.asked(role, 1).asks
    if any(ask.taking is not Taking.WHOLE for ask in asks):
        return 0
    return min((shape.cards for ask in asks for shape in ask.shapes), default=0)


def _counts(trial: Trial, role: SizedRole, missing: int) -> bool:
    asks = trial.asked(role, missing).asks
    return len(asks) == 1 and trial.counts(role, asks[0])


def _of_role(trial: Trial, role: SizedRole, missing: int, domains: Domains) -> Numbers:
    """What each domain holds of a role alone; where it cannot be counted, all if a worker takes one."""
    room = np.zeros(trial.table.size, np.int64)
    if not _counts(trial, role, missing):
        room[trial.rows_of(role)] = missing  # an upper bound: one worker might hold them all
        return domains.sums(room)
    ask = trial.asked(role, missing).asks[0]
    found = member_rooms(trial, role, ask, missing)
    return domains.sums(room + missing) if found is None else domains.sums(found)


def member_rooms(trial: Trial, role: SizedRole, ask: Ask, most: int) -> Numbers | None:
    """How many members with this ask each worker holds, at least up to `most`; None where that cannot be counted.

    The filters say it at once where they can; otherwise copies are foreseen, of which there are MOST_COPIES a worker.
    """
    strategies, strategy, tuning = trial.strategies, role.shape.strategy, tuning_of(role.shape)
    evaluator = unconstrained(strategies, strategy, ask, trial.table, tuning)
    found = worker_rooms(evaluator, ask, max(MOST_COPIES, most))
    if found is None and most <= MOST_COPIES:
        found = Copies(strategies, strategy, ask, trial.table, tuning).rooms
    return found
