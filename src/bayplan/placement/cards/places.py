"""Places on shared cards: how many each card has left, and which of them a request gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.booking import WHOLE_CARD_MILLI
from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import CardRows, Numbers

READS = ("card_places", "card_places_held", "card_places_free")
EXPLAIN_READS = (*READS, "card_memory_mib", "card_foreign_mib", "reserved_gpu_mib")
_NEVER = np.int64(1 << 62)
"""The order of a card without a place left: behind every other."""

_AGAIN = np.int64(1 << 40)
"""More than any card has places, times the cards of a worker: what a second place on a card costs."""


def dealt(ask: Ask, rows: CardRows) -> Numbers:
    """How many places each card gives: one after the other, each from the first card in the order of the rule.

    The rule: cards of which the request has no place yet, then the fewest used places, then the lowest position.
    `card_room` is what each card has left; rows where nothing fits give none.
    """
    room = np.where(rows.card_leader == rows.fit_leader[:, None], np.maximum(rows.card_room, 0), 0)
    given = np.zeros(room.shape, np.int64)
    lines = np.flatnonzero(rows.fit_shape >= 0)
    if not len(lines):
        return given
    room, held, width = room[lines], rows.card_places_held[lines].astype(np.int64), room.shape[1]
    mine, each = given[lines], np.arange(len(lines))
    for _ in range(ask.shapes[0].cards):
        # One number compares three things: has it no place yet, how many are used, and the position, below width.
        order = (mine > 0) * _AGAIN + (held + mine) * width + np.arange(width)
        mine[each, np.where(mine < room, order, _NEVER).argmin(1)] += 1
    given[lines] = mine
    return given


def place_mib(given: Numbers, rows: CardRows) -> Numbers:
    """The part of each card's memory that the given places are; 0 where the size is unknown."""
    # An unknown size is -1; cards without places are given none, and 1 only avoids a division by 0.
    parts: Numbers = np.maximum(rows.card_memory_mib, 0) * given // np.maximum(rows.card_places, 1)
    return parts


def place_milli(given: Numbers, places: Numbers) -> Numbers:
    """The part of each card's compute."""
    parts: Numbers = given * WHOLE_CARD_MILLI // np.maximum(places, 1)
    return parts


def fullness(given: Numbers, rows: CardRows) -> npt.NDArray[np.float64]:
    """The largest part of what is free on a card that is given away: memory, or places where no size is known."""
    memory, free = place_mib(given, rows), rows.card_free_mib
    by_places = given / np.maximum(rows.card_places_free, 1)
    parts = np.where(memory > 0, memory / np.maximum(free, 1), by_places)
    full: npt.NDArray[np.float64] = np.minimum(np.where(given > 0, parts, 0.0).max(1, initial=0.0), 1.0)
    return full


def place_shortage(ask: Ask, rows: CardRows) -> Reasons:
    """What workers lack that have too few places left; curable where they have enough without any booking."""
    usable = rows.card_rank >= 0
    there = np.where(usable, rows.card_places, 0).sum(1)
    free = np.where(usable, rows.card_places_free, 0).sum(1)
    possible = np.where(usable, _places_without_bookings(rows), 0).sum(1)
    needed = ask.shapes[0].cards
    return Reasons(
        "gpu-count-short",
        curable=(possible >= needed).tolist(),
        unit="places",
        needed=needed,
        free=free.tolist(),
        there=there.tolist(),
        text="needs {needed} {devices} on shared cards, {free} of {there} are free",
        devices="place" if needed == 1 else "places",
    )


def _places_without_bookings(rows: CardRows) -> Numbers:
    """How many places each card would give at once if nothing were booked on it."""
    places, size = rows.card_places.astype(np.int64), np.maximum(rows.card_memory_mib, 0)
    left = np.maximum(size - rows.card_foreign_mib - rows.reserved_gpu_mib[:, None], 0)
    # The largest n with n × size // places <= left: a place's part of the memory is rounded down.
    by_memory = np.where(size > 0, ((left + 1) * places - 1) // np.maximum(size, 1), places)
    possible: Numbers = np.minimum(places, by_memory)
    return possible
