"""Bookings as columns: many workers as they would be without some of their bookings, counted at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import HELD, STATE_NAMES
from bayplan.cluster.holding import SETTLED_FROM, charge, settle

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.loading import Columns
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import IndexArray
    from bayplan.framework.table import Table

NOWHERE = -1
_MOST_COUNTS = 2_000_000  # of kinds on cases, so that memory stays small
_GATHERED = (*SETTLED_FROM, *(spec.name for spec in HELD))
_CHARGED = tuple(spec.name for spec in HELD if spec.name not in ("status", "card_observed_mib"))


class Claims:
    """What each of these bookings takes of its worker; `rows` says where, NOWHERE for a worker that is not there.

    Bookings that take the same of the same cards are counted once, by the one rule of `charge`; asking about
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
        columns: dict[str, Any] = source.gather((*_GATHERED, "card_foreign_mib"), rows)
        foreign, held = columns.pop("card_foreign_mib"), columns["card_bookings"].copy()
        self._release(columns, case, claim)
        settle(columns)
        observed = columns["card_observed_mib"]
        if (seen := (observed >= 0) & (columns["card_bookings"] != held)).any():  # what others use stays as it is
            ours = columns["card_booked_mib"] + columns["card_headroom_mib"]
            columns["card_observed_mib"] = np.where(seen, foreign + ours, observed)
            settle(columns)
        dtypes = self._snapshot.table.columns
        return {name: columns[name].astype(dtypes[name].dtype, copy=False) for name in names}

    def _release(self, columns: dict[str, Any], case: IndexArray, claim: IndexArray) -> None:
        if not len(case):
            return
        kinds, cases = len(next(iter(self._taken.values()))), len(columns["bookings"])
        if kinds * cases > _MOST_COUNTS:
            self._release_one_by_one(columns, case, self._kind[claim])
            return
        counts = np.bincount(case * kinds + self._kind[claim], minlength=cases * kinds).reshape(cases, kinds)
        for name, taken in self._taken.items():
            sums = counts @ taken.reshape(kinds, -1)
            columns[name] -= sums.astype(columns[name].dtype).reshape(columns[name].shape)

    def _release_one_by_one(self, columns: dict[str, Any], case: IndexArray, kind: IndexArray) -> None:
        order = np.argsort(case, kind="stable")
        case, kind = case[order], kind[order]
        begins = np.flatnonzero(np.concatenate([[True], case[1:] != case[:-1]]))
        for name, taken in self._taken.items():
            sums = np.add.reduceat(taken[kind], begins, axis=0)
            columns[name][case[begins]] -= sums.astype(columns[name].dtype)


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
        key = (self._cards[row], zoned, booking.cpu_milli, booking.ram_mib, booking.cards, booking.resources)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            held: dict[str, Any] = {name: np.zeros(shape, np.int64) for name, shape in self._shapes.items()}
            charge(held, self._snapshot.site(row), booking, 1)
            for name, taken in held.items():
                if np.any(taken):
                    self._taken[name][number] = taken
        return number

    def columns(self) -> dict[str, npt.NDArray[np.int64]]:
        """What each kind takes, in the columns of which any takes something."""
        made = {}
        for name, taken in self._taken.items():
            if taken:
                column = made[name] = np.zeros((len(self._numbers), *self._shapes[name]), np.int64)
                column[list(taken)] = list(taken.values())
        return made
