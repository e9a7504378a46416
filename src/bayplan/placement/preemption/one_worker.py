"""Room for one replica on one worker: the smallest set of its holders that suffices."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bayplan.placement.preemption.units import cost_of
from bayplan.placement.preemption.victim_sets import VictimSet, subsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bayplan.placement.preemption.candidate_victims import Numbers
    from bayplan.placement.preemption.hypothetical import HypotheticalRows
    from bayplan.placement.preemption.units import Cost, Rank, Units

    Set = tuple[int, Numbers]  # a row, and who goes there

MOST_CASES = 60_000
"""Rows that are judged for one replica, which bounds the time; beyond it the set is not proven the smallest."""


def lowest_bar(judge: HypotheticalRows) -> int | None:
    """The lowest priority up to which all units must go for any worker to take the replica, budgets aside."""
    levels = judge.field.priorities
    if not levels or not judge.open_below(levels[-1]):
        return None
    low, high = 0, len(levels) - 1
    while low < high:
        middle = (low + high) // 2
        if judge.open_below(levels[middle]):
            high = middle
        else:
            low = middle + 1
    return levels[high]


def least(judge: HypotheticalRows, gone: Units = ()) -> VictimSet | None:
    """The least harm that makes room on one worker; budgets count the units `gone` too."""
    lowest = None if judge.sees_room else lowest_bar(judge)
    for bar in judge.field.priorities:
        if lowest is not None and bar >= lowest and (found := _Worker(judge, bar, gone).least()):
            return found
    return None


class _Worker:
    """The workers that would suffice without all holders up to a priority; equal workers are checked once."""

    def __init__(self, judge: HypotheticalRows, bar: int, gone: Units) -> None:
        self.judge, self.field, self.gone = judge, judge.field, gone
        self.left = MOST_CASES
        rows = judge.open_below(bar)
        self.holders = {row: self.field.at(row, bar) for row in rows}
        self.rows = self._distinct(sorted(rows, key=self._names))

    def least(self) -> VictimSet | None:
        needed = self._needed()
        try:
            for size in range(1, 1 + max(map(self._bookings, self.holders.values()), default=0)):
                sets = [each for row in self.rows for each in self._of_size(row, needed[row], size)]
                if found := self._enough(sets):
                    return VictimSet(self.field.chosen(min(found, key=self._harm)))
        except _SpentError:
            return self._irreducible()
        return None

    def _needed(self) -> dict[int, Numbers]:
        """By row, the holders that every sufficient set must contain."""
        tried = [(row, unit) for row in self.rows for unit in self.holders[row]]
        sets = [(row, tuple(each for each in self.holders[row] if each != unit)) for row, unit in tried]
        needed: dict[int, list[int]] = {row: list(self.judge.forced.get(row, ())) for row in self.rows}
        for (row, unit), enough in zip(tried, self.judge.enough(sets), strict=True):
            if not enough and unit not in needed[row]:
                needed[row].append(unit)
        return {row: tuple(units) for row, units in needed.items()}

    def _of_size(self, row: int, needed: Numbers, size: int) -> Iterator[Set]:
        """Sets of `size` bookings that contain all needed holders, as far as budgets allow."""
        free = [(unit, self.field.units[unit].cost[0]) for unit in self.holders[row] if unit not in needed]
        for chosen in subsets(free, size - self._bookings(needed)):
            if self.field.allows((*needed, *chosen), self.gone):
                self.left -= 1
                if self.left < 0:
                    raise _SpentError
                yield row, (*needed, *chosen)

    def _irreducible(self) -> VictimSet | None:
        """One set for each worker in which every unit is needed, the most harmful spared first; the best of them."""
        sets = {row: self._spared(row) for row in self.rows}
        alive = [row for row, enough in zip(sets, self.judge.enough(list(sets.items())), strict=True) if enough]
        for turn in range(max((len(sets[row]) for row in alive), default=0)):
            tried = [(row, sets[row], unit) for row in alive for unit in self._turn(row, sets[row], turn)]
            smaller = [(row, tuple(each for each in units if each != unit)) for row, units, unit in tried]
            for (row, units), enough in zip(smaller, self.judge.enough(smaller), strict=True):
                if enough:
                    sets[row] = units
        found = min((sets[row] for row in alive), key=self._harm, default=None)
        return None if found is None else VictimSet(self.field.chosen(found), proven=False)

    def _spared(self, row: int) -> Numbers:
        """All holders that budgets allow to evict together, least harm first."""
        chosen: list[int] = []
        for unit in (*self.judge.forced.get(row, ()), *self.holders[row]):
            if unit not in chosen and self.field.allows((*chosen, unit), self.gone):
                chosen.append(unit)
        return tuple(chosen)

    def _turn(self, row: int, units: Numbers, turn: int) -> Iterator[int]:
        """The unit to spare next: the n-th of all holders, counted from the end."""
        order = [unit for unit in reversed(self.holders[row]) if unit not in self.judge.forced.get(row, ())]
        if turn < len(order) and order[turn] in units:
            yield order[turn]

    def _enough(self, sets: Sequence[Set]) -> list[Numbers]:
        passed = self.judge.enough(sets) if sets else []
        return [units for (_, units), enough in zip(sets, passed, strict=True) if enough]

    def _distinct(self, rows: Sequence[int]) -> list[int]:
        """One of each kind: equal to the filters, with equal holders."""
        kinds: dict[object, int] = {}
        for row, look in zip(rows, self.judge.looks(rows) if rows else (), strict=True):
            holders = Counter(self._kind(row, unit) for unit in self.holders[row])
            kinds.setdefault((look, frozenset(holders.items())), row)
        return list(kinds.values())

    def _kind(self, row: int, unit: int) -> object:
        held = tuple((each.cpu_milli, each.ram_mib, each.cards, each.resources) for each in self.field.held(row, unit))
        lost = frozenset(self.field.budgets.lost((self.field.units[unit],)).items()) if self.field.budgets else None
        return self.field.units[unit].cost, unit in self.judge.forced.get(row, ()), lost, held

    def _bookings(self, units: Iterable[int]) -> int:
        return sum(self.field.units[unit].cost[0] for unit in units)

    def _harm(self, units: Iterable[int]) -> tuple[Cost, list[Rank]]:
        return cost_of(self.field.chosen(units)), sorted(self.field.units[unit].rank for unit in units)

    def _names(self, row: int) -> list[Rank]:
        return sorted(self.field.units[unit].rank for unit in self.holders[row])


class _SpentError(Exception):
    """Too many sets to judge; never seen outside."""
