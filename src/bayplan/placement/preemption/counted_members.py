"""Whether equal members fit without some units, by counting how many each worker would hold: nothing is planned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import STATE_NAMES
from bayplan.placement.decision.tuning import tuning_of
from bayplan.placement.gangs.lookahead import unconstrained
from bayplan.placement.gangs.trial import Trial
from bayplan.placement.gangs.worker_rooms import HypotheticalRooms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.decision.planned_cluster import PlannedCluster
    from bayplan.placement.gangs.worker_rooms import Rooms
    from bayplan.placement.preemption.candidate_victims import CandidateVictims
    from bayplan.placement.preemption.units import Unit


class CountedMembers:
    """The missing members of one workload, all equal and with one tier: only the numbers of the workers count.

    An attempt places as many members as the workers hold together, within one domain if the gang wants that. So the
    answers are those of attempts, and cost a few vector operations on the rows of the units.
    """

    def __init__(self, trial: Trial, ask: Ask, desired: int, field: CandidateVictims) -> None:
        shape, gang = trial.sized.roles[0].shape, trial.sized.workload.gang
        self.field, self._desired, self._table = field, desired, trial.table
        self._domains = None if gang is None or gang.within is None else trial.snapshot.domains[gang.within]
        evaluator = unconstrained(trial.strategies, shape.strategy, ask, trial.table, tuning_of(shape))
        self._rooms = HypotheticalRooms(evaluator, ask, desired)
        every = np.arange(trial.table.size)
        self._now = self._rooms.of(every, trial.table.gather(STATE_NAMES, every))

    @classmethod
    def of(cls, state: PlannedCluster, sized: SizedWorkload, field: CandidateVictims) -> CountedMembers | None:
        """None where members differ, where a rule looks at several of them, or where filters cannot count them."""
        workload, held = sized.workload, state.ledger.held_by_workload(sized.workload.key)
        gang = workload.gang
        if held or len(sized.roles) != 1 or workload.minimum > workload.desired:
            return None
        if gang is not None and gang.min_resources is not None:
            return None
        role, desired = sized.roles[0], workload.desired
        trial = Trial(state, sized, (), 1, reasons=False)
        asks = trial.asked(role, desired).asks
        if len(asks) != 1 or len(asks[0].shapes) > 1 or asks[0].copies > 1 or not trial.counts(role, asks[0]):
            return None
        found = cls(trial, asks[0], desired, field)
        return None if found._now is None else found

    def fits(self, gone: Iterable[Unit]) -> bool:
        """Whether all of them have a place without these units."""
        return self._most(gone) >= self._desired

    def could_fit(self, gone: Iterable[Unit], workers: int, largest: int) -> bool:
        """Whether they could have one if `workers` more are cleared, and each then holds at most `largest` of them."""
        return self._most(gone) + workers * largest >= self._desired

    def largest(self, gone: Iterable[Unit]) -> int:
        """The most members that are gained on one worker by evicting one of its units, if all of these may go.

        A unit on several workers makes room on all of them: then nothing less than all members is known.
        """
        gone = tuple(gone)
        if any(len(unit.bookings) > 1 for unit in gone):
            return self._desired
        return int(self._rooms_without(gone).max(initial=0))

    def _most(self, gone: Iterable[Unit]) -> int:
        """How many members have a place, within one domain if the gang wants that."""
        rooms = self._rooms_without(gone)
        # 0: the level has no domain
        return int(rooms.sum() if self._domains is None else self._domains.sums(rooms).max(initial=0))

    def _rooms_without(self, gone: Iterable[Unit]) -> Rooms:
        cases = self.field.without(gone)
        state = self.field.claims.without(cases.rows, cases.case, cases.claim, self._table)
        now, then = self._now, self._rooms.of(cases.rows, state)
        assert now is not None  # noqa: S101 (see `of`)
        assert then is not None  # noqa: S101 (the same columns are read as for all rows)
        rooms = now.copy()
        rooms[cases.rows] = then
        return rooms
