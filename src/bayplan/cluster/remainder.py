"""What bookings leave of a worker: the one formula, for one card as for whole columns.

Free = capacity − booked − headroom − foreign − reserved. The functions use operators only, so that they take
whole numbers as well as arrays of them; that is why maxima are products with a comparison here.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from bayplan.cluster.columns import UNKNOWN

Amount: TypeAlias = Any  # a whole number, or an array of them
Truth: TypeAlias = Any  # a bool, or an array of them

FOREIGN_PARTS = 20
"""A card is whole while processes that are not ours use at most a twentieth of it."""


class Remainder(NamedTuple):
    """What is left of a card."""

    booked_mib: Amount
    foreign_mib: Amount
    free_mib: Amount
    share_free_mib: Amount
    free_milli: Amount
    wholly_free: Truth
    shareable: Truth
    cuttable: Truth


def positive(amount: Amount) -> Amount:
    """The amount, or 0 where it is negative."""
    return amount * (amount > 0)


def host_free(capacity: Amount, booked: Amount, reserved: Amount = 0) -> Amount:
    """Of CPU or RAM; unknown stays unknown."""
    known = capacity >= 0
    return positive(capacity - booked - reserved) * known + UNKNOWN * (known ^ True)


def card_remainder(
    *,
    memory_mib: Amount,
    compute_milli: Amount,
    healthy: Truth,
    mig_enabled: Truth,
    mig_slices: Amount,
    reserved_mib: Amount,
    observed_mib: Amount,
    share_mib: Amount,
    share_milli: Amount,
    headroom_mib: Amount,
    shares: Amount,
    wholes: Amount,
    taken_slices: Amount,
) -> Remainder:
    """Of one card or of many.

    Observed use contains what is booked and its headroom, so only the rest of it is foreign. Nobody shares a card
    that is held whole or cut, and a card that is not cut yet must be idle before it is.
    """
    known, whole, cut = memory_mib >= 0, wholes > 0, taken_slices > 0
    size = positive(memory_mib)
    slices_mib = (size * taken_slices) // mig_slices
    booked = (share_mib + slices_mib - positive(slices_mib - size)) * (whole ^ True) + size * whole
    held = booked + headroom_mib
    foreign = positive(observed_mib - held)
    free = positive(memory_mib - held - foreign - reserved_mib) * (whole ^ True) * known + UNKNOWN * (known ^ True)
    unheld = healthy & (wholes == 0) & (shares == 0)
    quiet = foreign * FOREIGN_PARTS <= size
    shareable = healthy & (wholes == 0) & (mig_enabled ^ True) & (cut ^ True)
    return Remainder(
        booked_mib=booked,
        foreign_mib=foreign,
        free_mib=free,
        share_free_mib=(free + 1) * shareable - 1,
        free_milli=positive(compute_milli - share_milli) * (whole ^ True),
        wholly_free=unheld & shareable & quiet,
        shareable=shareable,
        cuttable=unheld & (mig_enabled | cut | quiet),
    )
