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
    from bayplan.framework.plugins import IndexArray
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
        self._sizes = np.fromiter((len(unit.bookings) for unit in self.units), np.intp, len(self.units))
        self.claims = Claims(snapshot, bookings)
        # the unit of each claim: claims of a unit stand together
        self._unit = np.repeat(np.arange(len(self.units)), self._sizes)
        self._of_units = np.fromiter((unit.priority for unit in self.units), np.int64, len(self.units))
        self._priority = np.repeat(self._of_units, self._sizes)
        self._bookings: Sequence[Booking] = bookings
        self._number = {unit: number for number, unit in enumerate(self.units)}
        self._is_there = self.claims.rows != NOWHERE
        self._by_rows = np.argsort(self.claims.rows, kind="stable")
        self._rows = self.claims.rows[self._by_rows]
        # row -> unit -> claims, in the order of `units`, which `at` gives
        self._on: dict[int, dict[int, list[int]]] = {}

    def _there(self, row: int) -> dict[int, list[int]]:
        """The claims on a row by unit, least harm first; made when a row is asked for, as most rows never are."""
        found = self._on.get(row)
        if found is None:
            found = self._on[row] = {}
            begin, end = np.searchsorted(self._rows, (row, row + 1))
            for claim in self._by_rows[begin:end].tolist():
                found.setdefault(int(self._unit[claim]), []).append(claim)
        return found

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
        there = self._there(row)
        return tuple([each for each in there if self.units[each].priority <= bar and each not in self.fallen])

    def held(self, row: int, unit: int) -> tuple[Booking, ...]:
        """What a unit holds of a row."""
        return tuple(self._bookings[claim] for claim in self._there(row)[unit])

    def all_gone(self, bar: int) -> Cases:
        """Every row without its units of this priority or a lower one."""
        there = (self._priority <= bar) & self._is_there
        there[self._claims_of(self.fallen)] = False
        return self._by_row(np.flatnonzero(there))

    def without(self, units: Iterable[Unit]) -> Cases:
        """The rows of these units without them."""
        claims = self._claims_of([self._number[unit] for unit in units])
        return self._by_row(claims[self._is_there[claims]])

    def _claims_of(self, units: Iterable[int]) -> IndexArray:
        """The claims of these units, in order: those of one unit follow each other."""
        numbers = np.unique(np.fromiter(units, np.intp))
        sizes = self._sizes[numbers]
        begins = np.cumsum(self._sizes)[numbers] - sizes
        before = np.cumsum(sizes) - sizes  # claims of the units before each
        claims: IndexArray = np.repeat(begins - before, sizes) + np.arange(sizes.sum())
        return claims

    def _by_row(self, claim: IndexArray) -> Cases:
        rows, case = np.unique(self.claims.rows[claim], return_inverse=True)
        return Cases(rows, case, claim)

    def gone(self, sets: Sequence[tuple[int, Iterable[int]]]) -> Cases:
        """Rows without these of their units."""
        rows = np.array([row for row, _ in sets], np.intp)
        claims = [list(chain.from_iterable(self._there(row)[unit] for unit in units)) for row, units in sets]
        case = np.repeat(np.arange(len(sets)), [len(each) for each in claims])
        return Cases(rows, case, np.fromiter(chain.from_iterable(claims), np.intp, len(case)))

    def chosen(self, numbers: Iterable[int]) -> Units:
        """These units."""
        return tuple(self.units[number] for number in numbers)

    def allows(self, numbers: Iterable[int], beside: Units = ()) -> bool:
        """Whether budgets allow evicting them together with the units `beside`."""
        return not self.budgets or self.budgets.allow((*beside, *self.chosen(numbers)))
