"""One worker's state in a table, and the cells that change when bookings are counted on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.claim import AMOUNT_COLUMNS, claim_of, taken_mask
from bayplan.cluster.columns import MASK_CARDS
from bayplan.cluster.remainder import CardAmounts, Remainder, one_card_remainder
from bayplan.framework.row_delta import RowDelta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.claim import CardClaim, Claim, Site
    from bayplan.framework.fork import Fork
    from bayplan.framework.table import Table

LEFT_COLUMNS: tuple[str, ...] = tuple(f"card_{name}" for name in Remainder._fields)
"""The columns of a Remainder, in its order."""

_FEW_READ = ("card_bookings", "card_observed_mib", "card_mig_taken", "card_foreign_mib", "card_booked_mib")
_READ = (*AMOUNT_COLUMNS, *_FEW_READ, "card_wholly_free")
_AMOUNTS = len(AMOUNT_COLUMNS)
_HEADROOM = CardAmounts._fields.index("headroom_mib")


class Holding:
    """The state of a row, read from a table or fork when it is looked at. Bookings are counted here only.

    `delta` is what a write of the row takes. What is `foreseen` cannot be observed yet: what other processes use stays
    as it is, and observed use grows by what is booked. It holds until the table is written.
    """

    __slots__ = ("_columns", "_foreseen", "_line", "delta", "site")

    def __init__(self, site: Site, table: Table | Fork, row: int, *, foreseen: bool = False) -> None:
        self.site = site
        self.delta = RowDelta()
        self._columns, self._line = table.at(row)
        self._foreseen = foreseen

    def __getitem__(self, name: str) -> Any:
        """The row's value in a column: a number, or a list with one number a place."""
        return self.delta.on(name, self._columns[name][self._line].tolist())

    def cell(self, name: str, place: int) -> Any:
        """The row's value at one place of a column."""
        cells = self.delta.cells.get(place)
        if cells is not None and name in cells:
            return cells[name]
        return self._columns[name].item(self._line, place)

    def width(self, name: str) -> int:
        """How many places a column has."""
        places: int = self._columns[name].shape[1]
        return places

    def count(self, booking: Booking, sign: int) -> None:
        """Book (1) or release (-1), here only."""
        claim = claim_of(self.site, booking)
        worker, values = self.site.worker, self.delta.values
        self._add("bookings", sign)
        if claim.cpu_milli:
            booked = self._add("cpu_booked_milli", sign * claim.cpu_milli)
            if worker.cpu_milli is not None:
                values["cpu_free_milli"] = max(0, worker.cpu_milli - booked)
        if claim.ram_mib:
            booked = self._add("ram_booked_mib", sign * claim.ram_mib)
            if worker.ram_mib is not None:
                values["ram_free_mib"] = max(0, worker.ram_mib - booked - worker.reserved_ram_mib)
        if claim.cards:
            self._count_cards(claim.cards, sign)
        if claim.zone_card is not None:
            for name, amount in claim.zone_amounts:
                self._add_at(name, claim.zone_card, sign * amount)
        if claim.profiles or claim.resources:
            self._count_places(claim, sign)

    def _count_cards(self, parts: Mapping[int, CardClaim], sign: int) -> None:
        booked_mib = count = mask = 0
        for position, part in parts.items():
            more_mib, gained = self._count_card(position, part, sign)
            booked_mib += more_mib
            count += gained
            mask += gained * (1 << position)  # one bit a card: it is set now, or it was set before
        self._add("gpu_booked_mib", booked_mib)
        if mask:
            self._add("wholly_free_count", count)
            if len(self.site.cards) <= MASK_CARDS:  # workers with more cards have no mask
                self._add("wholly_free", mask)

    def _count_places(self, claim: Claim, sign: int) -> None:
        for number, amount in claim.profiles.items():
            self._count_place("loose_held", "loose_free", number, sign * amount)
        for number, amount in claim.resources.items():
            self._count_place("resource_held", "resource_free", number, sign * amount)

    def _count_place(self, held: str, free: str, number: int, amount: int) -> None:
        """Count an amount of a resource, or instances of no known card; a table may not have a place for it yet."""
        if number < self.width(held):
            counted = self._add_at(held, number, amount)
            self.delta.at(number)[free] = max(0, self._offered(held, number) - counted)

    def _offered(self, held: str, number: int) -> int:
        worker = self.site.worker
        if held == "resource_held":
            return worker.resources.get(self.site.resources[number], 0)
        profile = self.site.profiles[number]
        return sum(count for name, count in worker.mig_slices.items() if name.lower() == profile)

    def _add(self, name: str, amount: int) -> int:
        values = self.delta.values
        there = values.get(name)
        value: int = (self._columns[name].item(self._line) if there is None else there) + amount
        values[name] = value
        return value

    def _add_at(self, name: str, place: int, amount: int) -> int:
        cells = self.delta.at(place)
        there = cells.get(name)
        value: int = (self._columns[name].item(self._line, place) if there is None else there) + amount
        cells[name] = value
        return value

    def _count_card(self, position: int, part: CardClaim, sign: int) -> tuple[int, int]:
        """Count a part of a booking on one card: how much more of it is booked, and whether it became wholly free (1).

        -1 is a card that was wholly free and is no more.
        """
        line, columns, foreseen = self._line, self._columns, self._foreseen
        read = [columns[name].item(line, position) for name in _READ]
        cells = self.delta.cells.get(position)
        if cells is None:
            cells = self.delta.cells[position] = {}
        else:  # an earlier booking was counted on this card
            read = [cells.get(name, value) for name, value in zip(_READ, read, strict=True)]
        bookings, observed, taken, foreign, booked, wholly_free = read[_AMOUNTS:]
        held = read[:_AMOUNTS]
        for place, amount in enumerate(part.amounts):
            if amount:
                held[place] += sign * amount
                cells[AMOUNT_COLUMNS[place]] = held[place]
        if part.slices:
            taken = cells["card_mig_taken"] = self._count_slices(position, part.slices, sign)
        facts = self.site.facts[position]
        left = one_card_remainder(facts, held, taken.bit_count(), observed, foreign if foreseen else None)
        left_mib, foreign, free_mib, share_free_mib, free_milli, places_free, left_whole, shareable, cuttable = left
        cells["card_bookings"] = bookings + sign
        cells["card_booked_mib"] = left_mib
        cells["card_free_mib"] = free_mib
        cells["card_share_free_mib"] = share_free_mib
        cells["card_free_milli"] = free_milli
        cells["card_places_free"] = places_free
        cells["card_wholly_free"] = left_whole
        cells["card_shareable"] = shareable
        cells["card_cuttable"] = cuttable
        if not foreseen:
            cells["card_foreign_mib"] = foreign
        elif observed >= 0:  # -1: nothing was observed
            cells["card_observed_mib"] = foreign + left_mib + held[_HEADROOM]
        return left_mib - booked, left_whole - wholly_free

    def _count_slices(self, position: int, slices: tuple[int, ...], sign: int) -> int:
        """Count MIG instances on the memory slices of a card; the mask of slices that are in use then."""
        cells = self.delta.cells[position]
        there = cells.get("card_mig_held")
        if there is None:
            there = self._columns["card_mig_held"][self._line, position].tolist()
        held = cells["card_mig_held"] = [count + sign * more for count, more in zip(there, slices, strict=True)]
        return taken_mask(held)
