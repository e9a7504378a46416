"""What one booking takes of its worker, number by number: the one rule behind every count of bookings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.columns import HOST_OF_CARDS, MEMORY_SLICES
from bayplan.cluster.numa import shared_zone
from bayplan.cluster.remainder import CardAmounts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bayplan.cluster.booking import Booking, CardBooking
    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.pool import Pool
    from bayplan.cluster.remainder import Amount, CardFacts
    from bayplan.cluster.worker import Worker

AMOUNT_COLUMNS: tuple[str, ...] = tuple(f"card_{name}" for name in CardAmounts._fields)
"""The columns that count CardAmounts, in their order."""

_WHOLE, _NOTHING = CardAmounts(wholes=1), CardAmounts()
_SLICES = tuple(tuple(mask >> number & 1 for number in range(MEMORY_SLICES)) for mask in range(1 << MEMORY_SLICES))
"""The bits of each mask of memory slices, one number each."""


@dataclass(frozen=True, slots=True)
class Site:
    """A worker with what is needed to count on it: its cards by position, numbers of profiles and resources."""

    worker: Worker
    cards: CardSet
    profiles: Pool[str]
    resources: Pool[str]
    facts: tuple[CardFacts, ...] = field(init=False)

    def __post_init__(self) -> None:
        worker = self.worker
        facts = self.cards.facts(closes_full=worker.closes_full, reserved_mib=worker.reserved_gpu_memory_mib)
        object.__setattr__(self, "facts", facts)


class CardClaim(NamedTuple):
    """What a booking takes of one card. `slices`: how many of its MIG instances lie on each memory slice."""

    amounts: CardAmounts
    slices: tuple[int, ...] = ()


class Claim(NamedTuple):
    """What a booking takes of a worker; cards by position, profiles and resources by their numbers.

    `zone_card` is where CPU and RAM are counted if all cards of the booking are in one NUMA zone: its first card.
    """

    cpu_milli: int
    ram_mib: int
    cards: dict[int, CardClaim]
    zone_card: int | None
    profiles: dict[int, int]
    resources: dict[int, int]

    @property
    def zone_amounts(self) -> tuple[tuple[str, int], ...]:
        """The columns of `zone_card` that count CPU and RAM, with what they count."""
        return ((HOST_OF_CARDS[0], self.cpu_milli), (HOST_OF_CARDS[1], self.ram_mib))


def claim_of(site: Site, booking: Booking) -> Claim:
    """What a booking takes of this worker.

    A card that the worker does not have counts nowhere: the booking stays visible in the ledger, and `invariants`
    names it. A resource that no worker offers has no number and counts nowhere; the ledger refuses to book it.
    """
    cards: dict[int, CardClaim] = {}
    profiles: dict[int, int] = {}
    position_of = site.cards.by_name
    for part in booking.cards:
        if part.index is None:
            number = None if part.mig is None else site.profiles.find(part.mig.profile.lower())
            if number is not None:
                profiles[number] = profiles.get(number, 0) + 1
            continue
        position = position_of.get((part.runtime, part.index))
        if position is not None:
            cards[position] = _card_claim(site, part, position, cards.get(position))
    zone_card = None
    if cards and site.worker.numa is not None and shared_zone(site.cards.numa[each] for each in cards) is not None:
        zone_card = min(cards)
    resources = dict(_resources(site, booking)) if booking.resources else {}
    return Claim(booking.cpu_milli, booking.ram_mib, cards, zone_card, profiles, resources)


def amounts_of(claim: Claim) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """All that a claim adds to HELD columns, number by number: the column, the place in its row, the amount."""
    yield "bookings", (), 1
    if claim.cpu_milli:
        yield "cpu_booked_milli", (), claim.cpu_milli
    if claim.ram_mib:
        yield "ram_booked_mib", (), claim.ram_mib
    for position, part in claim.cards.items():
        yield from _card_amounts(position, part)
    if claim.zone_card is not None:
        for name, amount in claim.zone_amounts if claim.cpu_milli or claim.ram_mib else ():
            yield name, (claim.zone_card,), amount
    for number, count in claim.profiles.items():
        yield "loose_held", (number,), count
    for number, amount in claim.resources.items():
        yield "resource_held", (number,), amount


def _card_amounts(position: int, part: CardClaim) -> Iterator[tuple[str, tuple[int, ...], int]]:
    yield "card_bookings", (position,), 1
    for name, amount in zip(AMOUNT_COLUMNS, part.amounts, strict=True):
        if amount:
            yield name, (position,), amount
    for number, count in enumerate(part.slices):
        if count:
            yield "card_mig_held", (position, number), count


def _resources(site: Site, booking: Booking) -> Iterator[tuple[int, int]]:
    for name, amount in booking.resources.items():
        number = site.resources.find(name)
        if number is not None:
            yield number, amount


def _card_claim(site: Site, part: CardBooking, position: int, earlier: CardClaim | None) -> CardClaim:
    """One part of a booking, with earlier parts on the same card: only MIG instances can be several."""
    if part.mig is None:
        # the usual case shares one object
        return CardClaim(_WHOLE if part.whole and not part.headroom_mib else _amounts(part))
    mask = site.cards.layouts[position].mask(part.mig)
    slices = _SLICES[mask]
    if earlier is None:
        return CardClaim(CardAmounts(headroom_mib=part.headroom_mib) if part.headroom_mib else _NOTHING, slices)
    slices = tuple([there + more for there, more in zip(earlier.slices, slices, strict=True)])
    return CardClaim(CardAmounts(headroom_mib=part.headroom_mib + earlier.amounts.headroom_mib), slices)


def _amounts(part: CardBooking) -> CardAmounts:
    if part.whole:
        return CardAmounts(wholes=1, headroom_mib=part.headroom_mib)
    return share_amounts(part.memory_mib or 0, part.compute_milli or 0, part.headroom_mib, part.places or 1)


def share_amounts(memory_mib: Amount, compute_milli: Amount, headroom_mib: Amount, places: Amount) -> CardAmounts:
    """What a share takes of a card; arrays make the shares of many cards."""
    return CardAmounts(0, 1, memory_mib, compute_milli, headroom_mib, places)


def taken_mask(slices: Collection[int]) -> int:
    """The memory slices that any instance holds, one bit each."""
    mask, bit = 0, 1
    for held in slices:
        if held:
            mask |= bit
        bit <<= 1
    return mask
