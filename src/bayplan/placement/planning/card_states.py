"""Cards as the replicas of a plan find them, one replica after the other: shares of cards are computed from this."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.booking import CardBooking
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.fork import Fork
    from bayplan.framework.table import Table
    from bayplan.placement.decision.placed import Replica

_READ = (
    "card_memory_mib", "card_free_mib", "card_booked_mib", "card_headroom_mib", "card_foreign_mib", "card_bookings",
)  # fmt: skip


class CardState(NamedTuple):
    """A card before a replica takes anything of it; a size and free memory that are not known are -1.

    `used_mib` is what is booked, its headroom, and what is foreign.
    """

    memory_mib: int
    free_mib: int
    used_mib: int
    bookings: int

    def after(self, part: CardBooking) -> CardState:
        """The card with one more booking."""
        taken = self.memory_mib if part.whole else (part.memory_mib or 0) + part.headroom_mib
        free = self.free_mib if self.free_mib < 0 else max(0, self.free_mib - taken)
        return CardState(self.memory_mib, free, self.used_mib + taken, self.bookings + 1)


class CardStates:
    """The cards of some rows, as they are in a table and then with the replicas that were counted."""

    def __init__(self, snapshot: Snapshot, table: Table | Fork, rows: Iterable[int]) -> None:
        index = np.array(sorted(set(rows)), np.intp)
        columns = {name: column.tolist() for name, column in table.gather(_READ, index).items()}
        self._cards: dict[int, list[CardState]] = {}
        self._positions = {row: snapshot.site(row).cards.by_name for row in index.tolist()}
        for place, row in enumerate(index.tolist()):
            memory, free, booked, headroom, foreign, bookings = (columns[name][place] for name in _READ)
            used = [sum(parts) for parts in zip(booked, headroom, foreign, strict=True)]
            self._cards[row] = [CardState(*each) for each in zip(memory, free, used, bookings, strict=True)]

    def of(self, replica: Replica) -> tuple[CardState, ...]:
        """The cards of a replica as they are now, in the order of its bookings; MIG instances have none."""
        return tuple([self._cards[row][place] for row, place, _ in self._parts(replica)])

    def count(self, replica: Replica) -> None:
        """Count what a replica books."""
        for row, place, part in self._parts(replica):
            self._cards[row][place] = self._cards[row][place].after(part)

    def _parts(self, replica: Replica) -> list[tuple[int, int, CardBooking]]:
        return [
            (part.row, self._positions[part.row][card.runtime, card.index], card)
            for part in replica.placed.shares
            for card in part.booking.cards
            if card.mig is None and card.index is not None
        ]
