"""Room for several replicas, or for one over several workers: member by member, then as few as can be proven."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from bayplan.placement.gangs.attempt import Doubt, attempt
from bayplan.placement.preemption.hypothetical import HypotheticalRows
from bayplan.placement.preemption.missing_members import missing_members, one_more
from bayplan.placement.preemption.one_worker import least
from bayplan.placement.preemption.units import bookings_of, cost_of
from bayplan.placement.preemption.victim_sets import VictimSet, subsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.decision.planned_cluster import PlannedCluster
    from bayplan.placement.gangs.arrangement import Arrangement
    from bayplan.placement.preemption.candidate_victims import CandidateVictims
    from bayplan.placement.preemption.counted_members import CountedMembers
    from bayplan.placement.preemption.units import Cost, Rank, Unit, Units

MOST_PLANS, FEW_PLANS = 400, 40
"""Plans that prove that no smaller set suffices: some seconds of work; fewer where the plan is one of many answers."""

MOST_NEEDED = 32
"""Up to this many units, the units that every set must hold are found first, by one plan each."""


class Several:
    """One workload and the units that may be evicted for it; every set is planned with, or its members are counted."""

    def __init__(
        self,
        state: PlannedCluster,
        sized: SizedWorkload,
        field: CandidateVictims,
        most_plans: int = MOST_PLANS,
        doubt: Doubt | None = None,
        counted: CountedMembers | None = None,
    ) -> None:
        self.state, self.sized, self.field = state, sized, field
        self._doubt = doubt or Doubt()
        self._plans_left = most_plans
        self._counted = counted

    def least(self) -> VictimSet | None:
        """A set of the lowest priority that suffices, in which every unit is needed."""
        for bar in self._bars():
            units = self._relevant(bar)
            found = self._one_by_one(units) or self._all_at_once(units)
            choice = self._smallest(units, None if found is None else self._needed(found))
            if choice is not None:
                return choice
        return None

    def fits(self, gone: Iterable[Unit]) -> bool:
        """Whether the workload fits whole without them."""
        if self._counted is not None:
            return self._counted.fits(gone)
        found = self.attempt(gone)
        return found is not None and found.is_whole

    def attempt(self, gone: Iterable[Unit]) -> Arrangement | None:
        """The arrangement without them."""
        return attempt(self.state.without(bookings_of(gone)), self.sized, self._doubt)

    def _bars(self) -> Sequence[int]:
        """The priorities from the lowest that could suffice, whatever budgets say."""
        levels = self.field.priorities
        low, high = 0, len(levels) - 1
        while low < high:
            middle = (low + high) // 2
            if self.fits(self._up_to(levels[middle])):
                high = middle
            else:
                low = middle + 1
        return levels[low:]

    def _up_to(self, bar: int) -> Units:
        return tuple(unit for unit in self.field.units if unit.priority <= bar)

    def _relevant(self, bar: int) -> Units:
        """The units on workers that could take a missing member; all units, if these do not suffice."""
        rows: set[int] = set()
        for role in {id(each): each for each in missing_members(self.state, self.sized)}.values():  # each role once
            rows.update(HypotheticalRows(self.state, self.sized, role, self.field).open_below(bar))
        near = {number for row in rows for number in self.field.at(row, bar)}
        units = self.field.chosen(sorted(near))
        return units if self.fits(units) else self._up_to(bar)

    def _one_by_one(self, units: Units) -> Units | None:
        """Member by member, each where it does the least harm on what the former ones left.

        That looks at no domain: a gang that wants one is given up as soon as too few members are left for any.
        """
        near, largest = set(units), 0 if self._counted is None else self._counted.largest(units)
        field = self.field.less(unit for unit in self.field.units if unit not in near)
        trial = self.state.without(())
        chosen: Units = ()
        missing = missing_members(self.state, self.sized)
        for number, role in enumerate(missing):
            if self._counted is not None and not self._counted.could_fit(chosen, len(missing) - number, largest):
                return None
            sized = one_more(trial, self.sized, role)
            found = attempt(trial, sized)
            if found is None:
                judge = HypotheticalRows(trial, sized, role, field.less(chosen))
                choice = None if judge.spans else least(judge, chosen)
                if choice is None:
                    return None
                chosen = (*chosen, *choice.units)
                trial = trial.without(bookings_of(choice.units))
                found = attempt(trial, sized)
            if found is None:
                return None
            trial.book(found.placed)
        return chosen if self.fits(chosen) else None

    def _all_at_once(self, units: Units) -> Units | None:
        """All units that may go, and of these the ones on workers that the plan without them uses."""
        gone = self._allowed(units)
        found = self.attempt(gone)
        if found is None or not found.is_whole:
            return None
        used = {booking.worker for replica in found.placed for booking in replica.placed.bookings}
        there = tuple(unit for unit in gone if not used.isdisjoint(booking.worker for booking in unit.bookings))
        return there if self.fits(there) else gone

    def _allowed(self, units: Units) -> Units:
        """As many as budgets let go, the least harmful first."""
        if not self.field.budgets:
            return units
        gone: Units = ()
        for unit in units:
            if self.field.budgets.allow((*gone, unit)):
                gone = (*gone, unit)
        return gone

    def _needed(self, units: Units) -> Units:
        """A part in which each is needed: the last unit of the shortest sufficient beginning must go; then again."""
        order = sorted(units, key=lambda unit: unit.harm)
        needed: Units = ()
        while order and not (needed and self.fits(needed)):
            enough = self._enough(order, needed)
            needed = (order[enough - 1], *needed)
            order = order[: enough - 1]
        return needed

    def _enough(self, order: Sequence[Unit], needed: Units) -> int:
        """How many from the beginning suffice beside the needed ones, by halves.

        Where members are counted, more units never leave less room, and mostly all units are needed: then the search
        begins at the end, with steps that double.
        """
        low, high = 1, len(order)
        step = high if self._counted is None else 1
        while low < high:
            middle = max((low + high) // 2, high - step)
            if self.fits((*order[:middle], *needed)):
                high, step = middle, 2 * step
            else:
                low = middle + 1
        return low

    def _smallest(self, units: Units, known: Units | None) -> VictimSet | None:
        """The smallest set that suffices, or the one that is known where the search for less was too long."""
        surely = self._in_every_set(units)
        rest = [(number, unit.cost[0]) for number, unit in enumerate(units) if unit not in surely]
        most = cost_of(units if known is None else known)
        for size in range(cost_of(surely)[0], most[0] + 1):
            sets = [
                (*surely, *(units[number] for number in chosen))
                # one too many shows that it is cut
                for chosen in islice(subsets(rest, size - cost_of(surely)[0]), self._plans_left + 1)
            ]
            sets = [each for each in sets if (known is None or cost_of(each) < most) and self.field.budgets.allow(each)]
            self._plans_left -= len(sets)
            if self._plans_left < 0:
                self._doubt.cut_short = True
                return None if known is None else VictimSet(known, proven=False)
            for each in sorted(sets, key=_harm):
                if self.fits(each):
                    return VictimSet(each)
        return None if known is None else VictimSet(known)

    def _in_every_set(self, units: Units) -> Units:
        if len(units) > MOST_NEEDED:
            return ()
        return tuple(unit for unit in units if not self.fits([each for each in units if each is not unit]))


def _harm(units: Units) -> tuple[Cost, list[Rank]]:
    return cost_of(units), sorted(unit.rank for unit in units)
