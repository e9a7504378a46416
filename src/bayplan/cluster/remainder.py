"""What bookings leave of a worker: the one formula, for one card as for whole columns.

Free = capacity − booked − headroom − foreign − reserved. The functions use operators only, so that they take
whole numbers as well as arrays of them; that is why maxima are products with a comparison here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from bayplan.cluster.columns import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

Amount: TypeAlias = Any  # a whole number, or an array of them
Truth: TypeAlias = Any  # a bool, or an array of them

IDLE_PERCENT = 5
"""A card is whole while processes that are not in the books use at most this part of it."""

IDLE_PERCENT_OF = {"cann": 8}
"""The same on runtimes whose drivers keep more for themselves: an idle Ascend 910B shows 3.4 of 64 GiB."""

_WHOLE_MILLI = 1000


def idle_percent(runtime: str) -> int:
    """How much of an idle card of a runtime others may use."""
    return IDLE_PERCENT_OF.get(runtime, IDLE_PERCENT)


class CardFacts(NamedTuple):
    """What a card is and offers, whatever is booked on it."""

    memory_mib: Amount
    compute_milli: Amount
    healthy: Truth
    mig_enabled: Truth
    mig_slices: Amount
    places: Amount
    idle_percent: Amount
    closes_full: Truth
    reserved_mib: Amount


class CardAmounts(NamedTuple):
    """What one booking, or all bookings together, hold of a card; MIG instances are counted by slices instead."""

    wholes: Amount = 0
    shares: Amount = 0
    share_mib: Amount = 0
    share_milli: Amount = 0
    headroom_mib: Amount = 0
    places_held: Amount = 0


class Remainder(NamedTuple):
    """What is left of a card."""

    booked_mib: Amount
    foreign_mib: Amount
    free_mib: Amount
    share_free_mib: Amount
    free_milli: Amount
    places_free: Amount
    wholly_free: Truth
    shareable: Truth
    cuttable: Truth


def positive(amount: Amount) -> Amount:
    """The amount, or 0 where it is negative."""
    return amount * (amount > 0)


def _at_least_one(amount: Amount) -> Amount:
    return amount + (amount == 0)


def _most_parts(free: Amount, parts: Amount, whole: Amount) -> Amount:
    """How many parts of a whole are in what is free, if they are taken at once: together they are rounded down."""
    return ((free + 1) * parts - 1) // whole  # the largest n with n × whole // parts <= free


def _least(one: Amount, other: Amount) -> Amount:
    return one - positive(one - other)


def host_free(capacity: Amount, booked: Amount, reserved: Amount = 0) -> Amount:
    """Of CPU or RAM; unknown stays unknown."""
    known = capacity >= 0
    # `^ True` negates bools and arrays of them
    return positive(capacity - booked - reserved) * known + UNKNOWN * (known ^ True)


def card_remainder(
    facts: CardFacts,
    held: CardAmounts,
    taken_slices: Amount,
    observed_mib: Amount,
    foreign_mib: Amount | None = None,
) -> Remainder:
    """Of one card or of many.

    Observed use contains what is booked and its headroom, so only the rest of it is foreign, unless `foreign_mib` is
    given. A card that is held whole or cut, or whose places are all held, is not shared; a card that is not cut yet
    must be idle before it is. A place is free only with its part of the memory and of the compute.
    """
    memory_mib, compute_milli, healthy, mig_enabled, mig_slices, places, idle_percent, closes_full, reserved_mib = facts
    wholes, shares, share_mib, share_milli, headroom_mib, places_held = held
    known, whole, cut = memory_mib >= 0, wholes > 0, taken_slices > 0
    size = positive(memory_mib)
    slices_mib = (size * taken_slices) // mig_slices
    # slices take at most `size`
    booked = (share_mib + slices_mib - positive(slices_mib - size)) * (whole ^ True) + size * whole
    used = booked + headroom_mib
    foreign = positive(observed_mib - used) if foreign_mib is None else foreign_mib
    free = positive(memory_mib - used - foreign - reserved_mib) * (whole ^ True) * known + UNKNOWN * (known ^ True)
    unheld = healthy & (wholes == 0) & (shares == 0)
    quiet = foreign * 100 <= size * idle_percent  # whole numbers on both sides: nothing is rounded
    free_milli = positive(compute_milli - share_milli) * (whole ^ True)
    shareable = healthy & (wholes == 0) & (mig_enabled ^ True) & (cut ^ True)
    shareable = shareable & ((places == 0) | (places_held < places)) & ((closes_full & (free_milli == 0)) ^ True)
    parts = places + (places == 0)  # at least 1: with 0 the quotients below would be negative
    by_milli = _most_parts(free_milli, parts, _WHOLE_MILLI)
    # An unknown size limits nothing: one more than there are places.
    by_memory = _most_parts(positive(free), parts, _at_least_one(size)) + (places + 1) * (size == 0)
    places_free = _least(_least(positive(places - places_held), by_milli), by_memory) * shareable
    return Remainder(
        booked_mib=booked,
        foreign_mib=foreign,
        free_mib=free,
        share_free_mib=(free + 1) * shareable - 1,  # -1 where the card cannot be shared, else `free`
        free_milli=free_milli,
        places_free=places_free,
        wholly_free=unheld & shareable & quiet,
        shareable=shareable,
        cuttable=unheld & (mig_enabled | cut | quiet),
    )


def one_card_remainder(
    facts: CardFacts, held: Sequence[int], taken_slices: int, observed_mib: int, foreign_mib: int | None = None
) -> tuple[int, int, int, int, int, int, bool, bool, bool]:
    """As `card_remainder`, in its order, of one card in plain numbers: a twin several times as fast.

    Bookings count one card after the other, so it is called for each; a property test compares both.
    """
    memory_mib, compute_milli, healthy, mig_enabled, mig_slices, places, idle_percent, closes_full, reserved_mib = facts
    wholes, shares, share_mib, share_milli, headroom_mib, places_held = held
    size = max(0, memory_mib)
    if wholes > 0:
        booked = size
    elif taken_slices:
        booked = share_mib + min((size * taken_slices) // mig_slices, size)
    else:
        booked = share_mib
    used = booked + headroom_mib
    foreign = max(observed_mib - used, 0) if foreign_mib is None else foreign_mib
    if wholes > 0:  # nothing is left of it
        return booked, foreign, UNKNOWN if memory_mib < 0 else 0, -1, 0, 0, False, False, False
    free = UNKNOWN if memory_mib < 0 else max(memory_mib - used - foreign - reserved_mib, 0)
    free_milli = max(compute_milli - share_milli, 0)
    unheld = healthy and wholes == 0 and shares == 0
    quiet = foreign * 100 <= size * idle_percent
    cuttable = unheld and (mig_enabled or taken_slices > 0 or quiet)
    shareable = (
        healthy and wholes == 0 and not mig_enabled and taken_slices <= 0
        and (places == 0 or places_held < places) and not (closes_full and free_milli == 0)
    )  # fmt: skip
    if not shareable:
        return booked, foreign, free, -1, free_milli, 0, False, False, cuttable
    places_free = 0
    if places:
        places_free = min(max(places - places_held, 0), _most_parts(free_milli, places, _WHOLE_MILLI))
        if size:
            places_free = min(places_free, _most_parts(free, places, size))
    return booked, foreign, free, free, free_milli, places_free, unheld and quiet, True, cuttable
