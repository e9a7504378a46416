"""The bookings that may be evicted, by the rows of their workers."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.claims import NOWHERE, Claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.plugins import BoolArray, IndexArray
    from bayplan.placement.preemption.units import Budgets, Unit, Units

    Numbers = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Rows as they would be: `claim[i]` gone from the row of case `case[i]`."""

    rows: IndexArray
    case: IndexArray
    claim: IndexArray


class CandidateVictims:
    """Units by number, and the claims of each on every row."""

    def __init__(self, snapshot: Snapshot, units: Iterable[Unit], budgets: Budgets) -> None:
        self.units: Units = tuple(units)
        self.fallen: frozenset[int] = frozenset()
        self.budgets = budgets
        bookings = [booking for unit in self.units for booking in unit.bookings]
        sizes = [len(unit.bookings) for unit in self.units]
        self.claims = Claims(snapshot, bookings)
        # the unit of each claim: claims of a unit stand together
        self._unit = np.repeat(np.arange(len(self.units)), sizes)
        self._of_units = np.array([unit.priority for unit in self.units], np.int64)
        self._priority = np.repeat(self._of_units, sizes)
        self._bookings: Sequence[Booking] = bookings
        self._number = {unit: number for number, unit in enumerate(self.units)}
        self._is_there = self.claims.rows != NOWHERE
        # row -> unit -> claims, in the order of `units`, which `at` gives
        self._on: dict[int, dict[int, list[int]]] = {}
        for number, (row, unit) in enumerate(zip(self.claims.rows.tolist(), self._unit.tolist(), strict=True)):
            if row != NOWHERE:
                self._on.setdefault(row, {}).setdefault(unit, []).append(number)

    @property
    def priorities(self) -> list[int]:
        """From the lowest to the highest."""
        return [int(each) for each in np.unique(np.delete(self._of_units, list(self.fallen)))]

    def less(self, units: Iterable[Unit]) -> CandidateVictims:
        """The same units without these."""
        other = copy(self)
        other.fallen = self.fallen.union(self._number[unit] for unit in units)
        return other

    def at(self, row: int, bar: int) -> Numbers:
        """The units of this priority or a lower one that hold something of this row, least harm first."""
        there = self._on.get(row, ())
        return tuple([each for each in there if self.units[each].priority <= bar and each not in self.fallen])

    def held(self, row: int, unit: int) -> tuple[Booking, ...]:
        """What a unit holds of a row."""
        return tuple(self._bookings[claim] for claim in self._on[row][unit])

    def all_gone(self, bar: int) -> Cases:
        """Every row without its units of this priority or a lower one."""
        there = (self._priority <= bar) & self._is_there
        return self._by_row(there & ~self._of(self.fallen) if self.fallen else there)

    def without(self, units: Iterable[Unit]) -> Cases:
        """The rows of these units without them."""
        return self._by_row(self._of([self._number[unit] for unit in units]) & self._is_there)

    def _of(self, numbers: Iterable[int]) -> BoolArray:
        """Which claims are of these units."""
        chosen = np.zeros(len(self.units), np.bool_)
        chosen[list(numbers)] = True
        of: BoolArray = chosen[self._unit]
        return of

    def _by_row(self, gone: BoolArray) -> Cases:
        claim = np.flatnonzero(gone)
        rows, case = np.unique(self.claims.rows[claim], return_inverse=True)
        return Cases(rows, case, claim)

    def gone(self, sets: Sequence[tuple[int, Iterable[int]]]) -> Cases:
        """Rows without these of their units."""
        rows = np.array([row for row, _ in sets], np.intp)
        claims = [list(chain.from_iterable(self._on[row][unit] for unit in units)) for row, units in sets]
        case = np.repeat(np.arange(len(sets)), [len(each) for each in claims])
        return Cases(rows, case, np.fromiter(chain.from_iterable(claims), np.intp, len(case)))

    def chosen(self, numbers: Iterable[int]) -> Units:
        """These units."""
        return tuple(self.units[number] for number in numbers)

    def allows(self, numbers: Iterable[int], beside: Units = ()) -> bool:
        """Whether budgets allow evicting them together with the units `beside`."""
        return not self.budgets or self.budgets.allow((*beside, *self.chosen(numbers)))
