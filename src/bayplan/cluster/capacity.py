"""What a booking lacks on a worker, in numbers; the ledger accepts a booking that lacks nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.columns import UNKNOWN
from bayplan.cluster.readable import format_mib
from bayplan.framework.errors import BayplanError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.booking import Booking, CardBooking
    from bayplan.cluster.holding import Holding


@dataclass(frozen=True, slots=True)
class Shortage:
    """One thing of which too little is free; `free` is None where it is not known.

    `amount` is true of amounts, which `allowOvercommit` may exceed, and false of things that only one booking can hold.
    """

    code: str
    place: str
    needed: int
    free: int | None
    unit: str
    amount: bool = True
    why: str = ""

    @property
    def short(self) -> int | None:
        return None if self.free is None else max(0, self.needed - self.free)

    def __str__(self) -> str:
        free = "how much is free is not known" if self.free is None else f"{self.free} {self.unit} are free"
        text = f"{self.place}: needs {self.needed} {self.unit}, {free}"
        return f"{text} ({self.why})" if self.why else text


class CapacityError(BayplanError):
    """Bookings that would exceed what is there; nothing was booked, `shortages` lists every one of them."""

    code = "capacity-exceeded"

    def __init__(self, shortages: Sequence[Shortage]) -> None:
        self.shortages = tuple(shortages)
        first = self.shortages[0]
        free = "an unknown amount" if first.free is None else f"{first.free}"
        message = f"needs {first.needed} {first.unit}, {free} free"
        if first.short:
            message += f", {first.short} short"
        if first.why:
            message += f" ({first.why})"
        if more := len(self.shortages) - 1:
            message += f" and {more} more shortage{'s' * (more > 1)}"
        next_step = "plan again on a fresh snapshot"
        super().__init__(message, place=first.place, next=next_step)


def shortages(holding: Holding, booking: Booking) -> list[Shortage]:
    """Everything that this booking lacks on a worker in that state."""
    found: list[Shortage] = []
    if booking.cpu_milli:
        free = holding["cpu_free_milli"]
        found += _amount("cpu-short", booking, booking.cpu_milli, free, "thousandths of a core")
    if booking.ram_mib:
        found += _amount("ram-short", booking, booking.ram_mib, holding["ram_free_mib"], "MiB of RAM")
    if booking.resources:
        found += _resources(holding, booking)
    if None in [part.index for part in booking.cards]:
        found += _loose(holding, booking)
    if booking.cards:
        found += _on_cards(holding, booking)
    return found


def _amount(
    code: str, booking: Booking, needed: int, free: int, unit: str, part: CardBooking | None = None
) -> Sequence[Shortage]:
    """Nothing, or what is short on the worker or on a card of it."""
    if free != UNKNOWN and needed <= free:
        return ()
    place = f"worker {booking.worker}" if part is None else _place(booking, part)
    if free == UNKNOWN:
        return (Shortage("unknown-capacity", place, needed, None, unit),)
    return (Shortage(code, place, needed, free, unit),)


def _resources(holding: Holding, booking: Booking) -> Iterator[Shortage]:
    for name, needed in booking.resources.items():
        # A pool may have met a name after the table was made, which then has no place for it: nothing is free.
        number = holding.site.resources.find(name)
        free = 0 if number is None or number >= len(holding["resource_free"]) else holding["resource_free"][number]
        if needed > free:
            yield Shortage("resource-short", f"worker {booking.worker}", needed, free, name, amount=False)


def _loose(holding: Holding, booking: Booking) -> Iterator[Shortage]:
    wanted = Counter(part.mig.profile.lower() for part in booking.cards if part.card is None and part.mig)
    for profile, needed in wanted.items():
        number = holding.site.profiles.find(profile)  # as in `_resources`: the table may be older than the name
        free = 0 if number is None or number >= len(holding["loose_free"]) else holding["loose_free"][number]
        if needed > free:
            unit = f"instances of {profile}"
            yield Shortage("mig-unavailable", f"worker {booking.worker}", needed, free, unit, amount=False)


def _on_cards(holding: Holding, booking: Booking) -> Iterator[Shortage]:
    cut: dict[int, int] = {}
    positions = holding.site.cards.by_name
    for part in booking.cards:
        if part.index is None:
            continue
        position = positions.get((part.runtime, part.index))
        if position is None:
            place = _place(booking, part)
            yield Shortage("gpu-count-short", place, 1, 0, "cards", amount=False, why="the worker has no such card")
        elif part.mig is not None:
            yield from _instance(holding, booking, part, position, cut)
        elif part.whole:
            yield from _whole(holding, booking, part, position)
        else:
            yield from _share(holding, booking, part, position)


def _place(booking: Booking, part: CardBooking) -> str:
    return f"worker {booking.worker}, card {part.card}"


def _instance(
    holding: Holding, booking: Booking, part: CardBooking, position: int, cut: dict[int, int]
) -> Iterator[Shortage]:
    """`cut` holds the slices that earlier parts of the same booking take."""
    layout, instance = holding.site.cards.layouts[position], part.mig
    if instance is None:
        return
    mask, taken = layout.mask(instance), holding.cell("card_mig_taken", position) | cut.get(position, 0)
    why = layout.problem(instance)
    if why is None and not holding.cell("card_cuttable", position):
        why = "the card is unhealthy, or in use without MIG"
    if why is None and taken & mask:
        why = f"slices {_slices(taken & mask)} are in use"
    if why is not None:
        unit = f"instances {instance}"
        yield Shortage("mig-unavailable", _place(booking, part), 1, 0, unit, amount=False, why=why)
    cut[position] = cut.get(position, 0) | mask


def _whole(holding: Holding, booking: Booking, part: CardBooking, position: int) -> Iterator[Shortage]:
    if holding.cell("card_wholly_free", position):
        return
    place, bookings = _place(booking, part), holding.cell("card_bookings", position)
    if bookings or not holding.cell("card_shareable", position):
        why = f"it is unhealthy, divided by MIG, or held: {bookings} bookings are on it"
        yield Shortage("gpu-count-short", place, 1, 0, "whole cards", amount=False, why=why)
        return
    foreign = holding.cell("card_foreign_mib", position)
    why = f"processes without a booking use {format_mib(foreign)} of it, too much for a whole card"
    memory, free = holding.site.cards.memory_mib[position], holding.cell("card_free_mib", position)
    yield Shortage("gpu-memory-short", place, max(memory, 0), None if free == UNKNOWN else free, "MiB", why=why)


def _share(holding: Holding, booking: Booking, part: CardBooking, position: int) -> Iterator[Shortage]:
    needed, milli = (part.memory_mib or 0) + part.headroom_mib, part.compute_milli or 0
    free_mib, free_milli = holding.cell("card_free_mib", position), holding.cell("card_free_milli", position)
    places, wanted = holding.site.cards.places[position], part.places or 1
    if not places and holding.cell("card_shareable", position) and needed <= free_mib and milli <= free_milli:
        return  # the usual case: everything is there
    place = _place(booking, part)
    left = places - holding.cell("card_places_held", position)
    if places and left < wanted:
        yield Shortage("gpu-count-short", place, wanted, max(0, left), "places", amount=False)
        return
    if not holding.cell("card_shareable", position):
        why = "the card is unhealthy, divided by MIG, or held whole"
        yield Shortage("gpu-count-short", place, 1, 0, "cards that can be shared", amount=False, why=why)
        return
    if needed:
        yield from _amount("gpu-memory-short", booking, needed, free_mib, "MiB", part)
    if milli:
        yield from _amount("gpu-compute-short", booking, milli, free_milli, "thousandths of the card", part)


def _slices(mask: int) -> str:
    return ", ".join(str(number) for number in range(mask.bit_length()) if mask >> number & 1)
