"""Bookings as columns: many workers as they would be without some of their bookings, counted at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import HELD, MEMORY_SLICES, STATE_NAMES
from bayplan.cluster.holding import SETTLED_FROM, settle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.loading import Columns
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import IndexArray
    from bayplan.framework.table import Table

    Numbers = npt.NDArray[np.int64]

NOWHERE = -1
_COUNTED = (*SETTLED_FROM, *(spec.name for spec in HELD))


class Claims:
    """What each of these bookings takes of its worker; `rows` says where, NOWHERE for a worker that is not there.

    It is worked out once, so that asking about thousands of workers costs a few vector operations.
    """

    __slots__ = ("_cpu", "_loose", "_parts", "_ram", "_snapshot", "rows")

    def __init__(self, snapshot: Snapshot, bookings: Sequence[Booking]) -> None:
        self._snapshot = snapshot
        known, size = snapshot.rows, len(bookings)
        self.rows: IndexArray = np.fromiter((known.get(each.worker, NOWHERE) for each in bookings), np.intp, size)
        self._cpu: Numbers = np.fromiter((each.cpu_milli for each in bookings), np.int64, size)
        self._ram: Numbers = np.fromiter((each.ram_mib for each in bookings), np.int64, size)
        self._parts = _Spread(size, _parts(snapshot, bookings, self.rows.tolist()), 6 + MEMORY_SLICES)
        self._loose = _Spread(size, _loose(snapshot, bookings), 1)

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
        columns: dict[str, Any] = source.gather((*_COUNTED, "card_booked_mib"), rows)
        booked, held = columns.pop("card_booked_mib"), columns["card_bookings"].copy()
        np.subtract.at(columns["bookings"], case, 1)
        np.subtract.at(columns["cpu_booked_milli"], case, self._cpu[claim])
        np.subtract.at(columns["ram_booked_mib"], case, self._ram[claim])
        self._release_cards(columns, case, claim)
        settle(columns)
        observed = columns["card_observed_mib"]
        if (seen := (observed >= 0) & (columns["card_bookings"] != held)).any():  # what others use stays as it is
            foreign = np.maximum(0, observed - booked)
            columns["card_observed_mib"] = np.where(seen, foreign + columns["card_booked_mib"], observed)
            settle(columns)
        dtypes = self._snapshot.table.columns
        return {name: columns[name].astype(dtypes[name].dtype, copy=False) for name in names}

    def _release_cards(self, columns: dict[str, Any], case: IndexArray, claim: IndexArray) -> None:
        whose, parts = self._parts.of(claim)
        if len(parts):
            at = (case[whose], parts[:, 0])
            for number, name in enumerate(_COUNTED_OF_CARD, start=1):
                np.subtract.at(columns[name], at, parts[:, number].astype(columns[name].dtype))
            slices = parts[:, 6:]
            if slices.any():
                np.subtract.at(columns["card_mig_held"], at, slices.astype(columns["card_mig_held"].dtype))
        whose, loose = self._loose.of(claim)
        if len(loose):
            np.subtract.at(columns["loose_held"], (case[whose], loose[:, 0]), 1)


_BITS = [tuple(mask >> number & 1 for number in range(MEMORY_SLICES)) for mask in range(1 << MEMORY_SLICES)]
_COUNTED_OF_CARD = ("card_bookings", "card_wholes", "card_shares", "card_share_mib", "card_share_milli")


class _Spread:
    """Lines of numbers, several a claim."""

    __slots__ = ("_begin", "_lines", "_size")

    def __init__(self, claims: int, lines: Iterable[tuple[int, ...]], width: int) -> None:
        """Lines begin with the number of their claim, in order."""
        table = np.array(list(lines), np.int64).reshape(-1, width + 1)
        self._lines: Numbers = table[:, 1:]
        self._size = np.bincount(table[:, 0], minlength=claims)
        self._begin = np.cumsum(self._size) - self._size

    def of(self, claim: IndexArray) -> tuple[IndexArray, Numbers]:
        """The lines of these claims, and which of them each belongs to."""
        size = self._size[claim]
        whose = np.repeat(np.arange(len(claim)), size)
        first = np.repeat(self._begin[claim] - (np.cumsum(size) - size), size)
        return whose, self._lines[first + np.arange(len(whose))]


def _parts(snapshot: Snapshot, bookings: Sequence[Booking], rows: Sequence[int]) -> Iterable[tuple[int, ...]]:
    """Claim, position, whether it is the first part there, whole, share, MiB, thousandths, and eight slices."""
    cards_ids, sets = snapshot.table.columns["cards_id"].tolist(), snapshot.pools.cards
    for number, (booking, row) in enumerate(zip(bookings, rows, strict=True)):
        if row == NOWHERE or not booking.cards:
            continue
        cards = sets[cards_ids[row]]
        touched: set[int] = set()
        for part in booking.cards:
            card, mig = part.card, part.mig
            position = None if card is None else cards.position.get(card)
            if position is None:
                continue
            first = position not in touched
            touched.add(position)
            if mig is not None:
                yield (number, position, first, 0, 0, 0, 0, *_BITS[cards.layouts[position].mask(mig)])
            elif part.whole:
                yield (number, position, first, 1, 0, 0, 0, *_BITS[0])
            else:
                yield (number, position, first, 0, 1, part.memory_mib or 0, part.compute_milli or 0, *_BITS[0])


def _loose(snapshot: Snapshot, bookings: Sequence[Booking]) -> Iterable[tuple[int, ...]]:
    """Claim and profile of instances whose card nobody knows."""
    width = snapshot.table.columns["loose_held"].shape[1]
    for number, booking in enumerate(bookings):
        for part in booking.cards:
            if part.card is None and part.mig is not None:
                profile = snapshot.pools.profiles.find(part.mig.profile.lower())
                if profile is not None and profile < width:
                    yield (number, profile)
