"""Bookings as columns: many workers as they would be without some of their bookings, counted at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.claim import amounts_of, claim_of
from bayplan.cluster.columns import HELD, STATE_NAMES
from bayplan.cluster.settlement import CELL_COLUMNS, FACT_COLUMNS, charge

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.loading import Columns
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import IndexArray
    from bayplan.framework.table import Table

NOWHERE = -1  # no row has this number
_MOST_COUNTS = 2_000_000  # of kinds on cases, so that memory stays small
_GATHERED = (*FACT_COLUMNS, *(spec.name for spec in HELD), "card_foreign_mib", "card_booked_mib", "card_wholly_free")
_CHARGED = tuple(spec.name for spec in HELD if spec.name not in ("status", "card_observed_mib"))

_NO_CELLS = (np.zeros(0, np.intp), np.zeros(0, np.intp))


class Claims:
    """What each of these bookings takes of its worker; `rows` says where, NOWHERE for a worker that is not there.

    Bookings that take the same of the same cards are counted once, by the one rule of `claim_of`; asking about
    thousands of workers then costs a few vector operations.
    """

    __slots__ = ("_kind", "_snapshot", "_taken", "rows")

    def __init__(self, snapshot: Snapshot, bookings: Sequence[Booking]) -> None:
        known = snapshot.rows
        self._snapshot = snapshot
        self.rows: IndexArray = np.fromiter(
            (known.get(each.worker, NOWHERE) for each in bookings), np.intp, len(bookings)
        )
        kinds = _Kinds(snapshot)
        pairs = zip(bookings, self.rows.tolist(), strict=True)
        self._kind: IndexArray = np.fromiter(
            (kinds.number(booking, row) if row != NOWHERE else NOWHERE for booking, row in pairs),
            np.intp,
            len(bookings),
        )
        self._taken: dict[str, npt.NDArray[np.int64]] = kinds.columns()

    def without(
        self,
        rows: IndexArray,
        case: IndexArray,
        claim: IndexArray,
        table: Table | Fork | None = None,
        names: Iterable[str] = STATE_NAMES,
    ) -> Columns:
        """The state of `rows`, one a case, once `claim[i]` is gone from case `case[i]`: what `judge` takes.

        Equal to `Snapshot.after` with these bookings released and foreseen, row by row.
        """
        source = self._snapshot.table if table is None else table
        wanted = tuple(names)
        if not len(case):
            return source.gather(wanted, rows)
        columns: dict[str, Any] = source.gather(dict.fromkeys((*_GATHERED, *wanted)), rows)
        held = {name: -sums for name, sums in self._sums(case, claim, len(rows)).items()}
        touched = held.get("card_bookings")
        cells = _NO_CELLS if touched is None else np.nonzero(touched)
        of_cells = {name: sums[cells] if name in CELL_COLUMNS else sums for name, sums in held.items()}
        charge(columns, of_cells, cells)
        return {name: columns[name] for name in wanted}

    def _sums(self, case: IndexArray, claim: IndexArray, cases: int) -> dict[str, npt.NDArray[np.int64]]:
        """What the claims of each case take together, in the columns of which any takes something."""
        kind, kinds = self._kind[claim], len(next(iter(self._taken.values())))
        if kinds * cases > _MOST_COUNTS:
            return self._sums_one_by_one(case, kind, cases)
        # case and kind in one number
        counts = np.bincount(case * kinds + kind, minlength=cases * kinds).reshape(cases, kinds)
        return {
            name: (counts @ taken.reshape(kinds, -1)).reshape(cases, *taken.shape[1:])
            for name, taken in self._taken.items()
        }

    def _sums_one_by_one(self, case: IndexArray, kind: IndexArray, cases: int) -> dict[str, npt.NDArray[np.int64]]:
        order = np.argsort(case, kind="stable")
        case, kind = case[order], kind[order]
        # where another case begins: `case` is sorted
        begins = np.flatnonzero(np.concatenate([[True], case[1:] != case[:-1]]))
        found = {}
        for name, taken in self._taken.items():
            found[name] = np.zeros((cases, *taken.shape[1:]), np.int64)
            found[name][case[begins]] = np.add.reduceat(taken[kind], begins, axis=0)
        return found


class _Kinds:
    """Distinct bookings on distinct cards, and what each takes."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._cards = snapshot.table.columns["cards_id"].tolist()
        self._shapes = {name: snapshot.table.columns[name].shape[1:] for name in _CHARGED}
        self._numbers: dict[Hashable, int] = {}
        self._taken: dict[str, dict[int, Any]] = {name: {} for name in _CHARGED}

    def number(self, booking: Booking, row: int) -> int:
        zoned = self._snapshot.workers[row].numa is not None
        # `zoned`, because CPU and RAM are counted beside a card only where zones are told.
        key = (self._cards[row], zoned, booking.cpu_milli, booking.ram_mib, booking.cards, booking.resources)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            for name, place, amount in amounts_of(claim_of(self._snapshot.site(row), booking)):
                shape = self._shapes[name]
                if shape and place[0] >= shape[0]:  # a profile or resource for which this table has no place
                    continue
                taken = self._taken[name].setdefault(number, np.zeros(shape, np.int64))
                taken[place] += amount
        return number

    def columns(self) -> dict[str, npt.NDArray[np.int64]]:
        """What each kind takes, in the columns of which any takes something."""
        made = {}
        for name, taken in self._taken.items():
            if taken:
                column = made[name] = np.zeros((len(self._numbers), *self._shapes[name]), np.int64)
                column[list(taken)] = list(taken.values())
        return made
