"""What bookings hold on a worker, counted into its columns, and what they leave there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.booking import WHOLE_CARD_MILLI
from bayplan.cluster.columns import HOST_OF_CARDS, MASK_CARDS, MEMORY_SLICES, STATE
from bayplan.cluster.numa import shared_zone
from bayplan.cluster.remainder import Remainder, card_remainder, host_free
from bayplan.framework.table import Table

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from bayplan.cluster.booking import Booking, CardBooking
    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.pool import Pool
    from bayplan.cluster.worker import Worker
    from bayplan.framework.fork import Fork

_BITS = 1 << np.arange(MASK_CARDS)
_ONES = np.array([number.bit_count() for number in range(1 << MEMORY_SLICES)], np.int64)

_LEFT_OF_CARD = tuple(f"card_{name}" for name in Remainder._fields)

# Columns that are nearly always wanted together, so that a fork is asked once.
_CARD = tuple(spec.name for spec in STATE if spec.per == "card" and spec.name not in HOST_OF_CARDS)
_ROW_OF_CARDS = ("wholly_free", "wholly_free_count", "gpu_booked_mib")
_TOGETHER = dict.fromkeys((*_CARD, *_ROW_OF_CARDS), (*_CARD, *_ROW_OF_CARDS))

SETTLED_FROM: tuple[str, ...] = (
    *("cpu_milli", "ram_mib", "reserved_ram_mib", "reserved_gpu_mib", "card_count", "loose_slices"),
    "resource_offered",
    *("card_memory_mib", "card_compute_milli", "card_healthy", "card_mig_enabled", "card_mig_slices"),
    *("card_places", "card_idle_percent", "closes_full"),
)
"""The static columns that `settle` reads."""


@dataclass(frozen=True, slots=True)
class Site:
    """A worker with what it takes to count on it: its cards by position, numbers of profiles and resources."""

    worker: Worker
    cards: CardSet
    profiles: Pool[str]
    resources: Pool[str]


def charge(held: MutableMapping[str, Any], site: Site, booking: Booking, sign: int) -> set[int]:
    """Count a booking into a worker's HELD columns (sign 1), or out of them (−1); the positions it touched.

    A card that the worker does not have counts nowhere: the booking stays visible in the ledger, and
    `invariants` names it.
    """
    held["bookings"] += sign
    if booking.cpu_milli:
        held["cpu_booked_milli"] += sign * booking.cpu_milli
    if booking.ram_mib:
        held["ram_booked_mib"] += sign * booking.ram_mib
    if booking.resources:
        _charge_resources(held, site, booking, sign)
    touched: set[int] = set()
    for part in booking.cards:
        if part.card is None:
            _charge_loose(held, site, part, sign)
            continue
        position = site.cards.position.get(part.card)
        if position is None:
            continue
        if position not in touched:
            held["card_bookings"][position] += sign
            touched.add(position)
        _charge_card(held, site, part, position, sign)
    if touched and site.worker.numa is not None:
        _charge_zone(held, site, booking, touched, sign)
    return touched


def _charge_zone(held: MutableMapping[str, Any], site: Site, booking: Booking, positions: set[int], sign: int) -> None:
    """Bookings do not name a zone: CPU and RAM are taken to come from that of the cards, if it is one."""
    if shared_zone(site.cards.numa[position] for position in positions) is None:
        return
    first = min(positions)
    for column, amount in zip(HOST_OF_CARDS, (booking.cpu_milli, booking.ram_mib), strict=True):
        if amount:
            held[column][first] += sign * amount


def _charge_loose(held: MutableMapping[str, Any], site: Site, part: CardBooking, sign: int) -> None:
    number = None if part.mig is None else site.profiles.find(part.mig.profile.lower())
    if number is not None and number < len(held["loose_held"]):
        held["loose_held"][number] += sign


def _charge_resources(held: MutableMapping[str, Any], site: Site, booking: Booking, sign: int) -> None:
    """A resource that no worker offers has no number and is counted nowhere; the ledger refuses to book it."""
    for name, amount in booking.resources.items():
        number = site.resources.find(name)
        if number is not None and number < len(held["resource_held"]):
            held["resource_held"][number] += sign * amount


def _charge_card(held: MutableMapping[str, Any], site: Site, part: CardBooking, position: int, sign: int) -> None:
    if part.headroom_mib:
        held["card_headroom_mib"][position] += sign * part.headroom_mib
    if part.mig is not None:
        mask, slices = site.cards.layouts[position].mask(part.mig), held["card_mig_held"][position]
        for number in range(MEMORY_SLICES):
            if mask >> number & 1:
                slices[number] += sign
    elif part.whole:
        held["card_wholes"][position] += sign
    else:
        held["card_shares"][position] += sign
        held["card_share_mib"][position] += sign * (part.memory_mib or 0)
        held["card_share_milli"][position] += sign * (part.compute_milli or 0)
        held["card_places_held"][position] += sign * (part.places or 1)


class ArrayRow(dict[str, Any]):
    """One row of whole columns, to be counted into in place."""

    def __init__(self, columns: dict[str, Any], row: int) -> None:
        super().__init__()
        self._columns, self._row = columns, row

    def __missing__(self, name: str) -> Any:
        return self._columns[name][self._row]

    def __setitem__(self, name: str, value: Any) -> None:
        self._columns[name][self._row] = value


class Holding(dict[str, Any]):
    """One worker's state as plain numbers and lists, read from a table when looked at, changed only here.

    What is `foreseen` no observation can show yet: what others use stays as it is, whatever is counted.
    """

    def __init__(self, site: Site, table: Table | Fork, row: int, *, foreseen: bool = False) -> None:
        super().__init__()
        self.site = site
        self._table, self._row, self._foreseen = table, row, foreseen

    def __missing__(self, name: str) -> Any:
        table, row = self._table, self._row
        if type(table) is Table:
            columns = table.columns
            for each in _TOGETHER.get(name, (name,)):
                self[each] = columns[each][row].tolist()
            return self[name]
        gathered = table.gather(_TOGETHER.get(name, (name,)), np.array([row], np.intp))
        self.update((each, column[0].tolist()) for each, column in gathered.items())
        return self[name]

    def count(self, booking: Booking, sign: int) -> None:
        """Book (1) or release (−1), here only."""
        touched = charge(self, self.site, booking, sign)
        worker = self.site.worker
        if booking.cpu_milli and worker.cpu_milli is not None:
            self["cpu_free_milli"] = host_free(worker.cpu_milli, self["cpu_booked_milli"])
        if booking.ram_mib and worker.ram_mib is not None:
            self["ram_free_mib"] = host_free(worker.ram_mib, self["ram_booked_mib"], worker.reserved_ram_mib)
        if "loose_held" in self:
            self["loose_free"] = [
                max(0, offered - held) for offered, held in zip(self._loose_slices, self["loose_held"], strict=True)
            ]
        if "resource_held" in self:
            self["resource_free"] = [
                max(0, offered - held) for offered, held in zip(self._resources, self["resource_held"], strict=True)
            ]
        for position in touched:
            self._settle_card(position)

    @property
    def _resources(self) -> list[int]:
        offered = [0] * len(self["resource_held"])
        for name, amount in self.site.worker.resources.items():
            offered[self.site.resources.number(name)] = amount
        return offered

    @property
    def changed(self) -> dict[str, Any]:
        """The columns that a write of this row needs."""
        return dict(self)

    @property
    def _loose_slices(self) -> list[int]:
        offered = [0] * len(self["loose_held"])
        for profile, count in self.site.worker.mig_slices.items():
            offered[self.site.profiles.number(profile.lower())] += count
        return offered

    def _taken(self, position: int) -> int:
        if "card_mig_held" not in self:  # no instance was counted here: the mask still holds
            mask: int = self["card_mig_taken"][position]
            return mask
        return sum(1 << number for number, held in enumerate(self["card_mig_held"][position]) if held)

    def _settle_card(self, position: int) -> None:
        cards = self.site.cards
        taken = self._taken(position)
        left = self._left(position, taken)
        if self._foreseen and self["card_observed_mib"][position] >= 0:
            held = left.booked_mib + self["card_headroom_mib"][position]
            self["card_observed_mib"][position] = self["card_foreign_mib"][position] + held
            left = self._left(position, taken)
        self["gpu_booked_mib"] += left.booked_mib - self["card_booked_mib"][position]
        gained = int(left.wholly_free) - int(self["card_wholly_free"][position])
        self["wholly_free_count"] += gained
        if len(cards) <= MASK_CARDS:
            self["wholly_free"] += gained << position
        self["card_mig_taken"][position] = taken
        for name, value in zip(_LEFT_OF_CARD, left, strict=True):
            self[name][position] = value

    def _left(self, position: int, taken: int) -> Any:
        cards = self.site.cards
        return card_remainder(
            memory_mib=cards.memory_mib[position],
            compute_milli=WHOLE_CARD_MILLI,
            healthy=cards.healthy[position],
            mig_enabled=cards.mig_enabled[position],
            mig_slices=cards.mig_slices[position],
            places=cards.places[position],
            idle_percent=cards.idle_percent[position],
            closes_full=self.site.worker.closes_full,
            reserved_mib=self.site.worker.reserved_gpu_memory_mib,
            observed_mib=self["card_observed_mib"][position],
            share_mib=self["card_share_mib"][position],
            share_milli=self["card_share_milli"][position],
            headroom_mib=self["card_headroom_mib"][position],
            places_held=self["card_places_held"][position],
            shares=self["card_shares"][position],
            wholes=self["card_wholes"][position],
            taken_slices=taken.bit_count(),
        )


def settle(columns: dict[str, Any]) -> None:
    """Make the LEFT columns of many rows anew from their HELD ones; `columns` holds SETTLED_FROM too."""
    c = columns
    c["cpu_free_milli"] = host_free(c["cpu_milli"], c["cpu_booked_milli"])
    c["ram_free_mib"] = host_free(c["ram_mib"], c["ram_booked_mib"], c["reserved_ram_mib"])
    c["loose_free"] = np.maximum(c["loose_slices"] - c["loose_held"], 0)
    c["resource_free"] = np.maximum(c["resource_offered"] - c["resource_held"], 0)
    held = c["card_mig_held"]
    taken = np.packbits(held > 0, axis=-1, bitorder="little")[..., 0] if held.any() else np.zeros(held.shape[:2], "u1")
    left = card_remainder(
        memory_mib=c["card_memory_mib"],
        compute_milli=c["card_compute_milli"],
        healthy=c["card_healthy"],
        mig_enabled=c["card_mig_enabled"],
        mig_slices=c["card_mig_slices"],
        places=c["card_places"],
        idle_percent=c["card_idle_percent"],
        closes_full=c["closes_full"][:, None],
        reserved_mib=c["reserved_gpu_mib"][:, None],
        observed_mib=c["card_observed_mib"],
        share_mib=c["card_share_mib"],
        share_milli=c["card_share_milli"],
        headroom_mib=c["card_headroom_mib"],
        places_held=c["card_places_held"],
        shares=c["card_shares"],
        wholes=c["card_wholes"],
        taken_slices=_ONES[taken],
    )
    c["card_mig_taken"] = taken
    c.update(zip(_LEFT_OF_CARD, left, strict=True))
    c["gpu_booked_mib"] = left.booked_mib.sum(axis=1)
    c["wholly_free_count"] = left.wholly_free.sum(axis=1)
    few = left.wholly_free[:, :MASK_CARDS]
    c["wholly_free"] = (few * _BITS[: few.shape[1]]).sum(axis=1) * (c["card_count"] <= MASK_CARDS)
