"""What a card can give of one MIG profile, by the mask of its slices that are in use: answers as look-ups."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.columns import MEMORY_SLICES
from bayplan.cluster.mig import MASKS, MigInstance, profile_memory_mib

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.cluster.card_set import CardSet
    from bayplan.cluster.mig_layout import MigLayout
    from bayplan.cluster.pool import Pool

    Numbers = npt.NDArray[Any]

NEVER = 1 << 62
"""The cost where a card has no room: above every real cost, which has at most 62 bits."""

RANK_BIT, WAY_BIT, LOAD_BIT, LOSS_BIT, LEFT_BIT = 56, 54, 44, 26, 8
"""What a cost compares, from its highest bits: the preference of the model, the way, the load of the card, the room
that is lost for others, the room that is left, and last the slices that are free and the slices that it takes: equal
costs have equal fullness.
"""

# The largest values that fit the bits of a load and of a rank.
MOST_LOAD, MOST_RANK = (1 << WAY_BIT - LOAD_BIT) - 1, (1 << 62 - RANK_BIT) - 1

# Room for each of up to six profiles, the largest first, as one number: three bits hold up to 7 instances of a card.
_DIGITS, _DIGIT_BITS = 6, 3
_MASKS = np.arange(MASKS)
ONES = np.array([mask.bit_count() for mask in range(MASKS)], np.int64)
"""How many slices each mask has."""


class InstanceCut(IntEnum):
    """What it takes to give an instance, the least first: LOOSE instances exist on a card that is not known."""

    EXISTS = 0
    LOOSE = 1
    CUT = 2
    SWITCH_ON = 3


RECONFIGURED = 1e-6
"""What each step further down the ways takes off a fullness: it decides among equals only."""

_LOST = 1e-12
"""What lost room takes off a fullness: with 18 bits of loss always below one step of RECONFIGURED."""


class SliceTable(NamedTuple):
    """Of one layout and profile, each by mask: how many more instances, and where the next one begins, what that
    costs, which slices are then in use, what part of the free slices it is, and how many slices are free.
    """

    profile: str
    room: list[int]
    start: list[int]
    cost: list[int]
    after: list[int]
    full: list[float]
    free: list[int]


class SliceTables(NamedTuple):
    """The tables of all layouts one behind the other, so that `256 · layout + mask` is a place; the last is empty.

    `code` is the place of each cost in `costs`, which are in order and end with NEVER; `full` is the fullness of each.
    """

    room: Numbers
    cost: Numbers
    after: Numbers
    free: Numbers
    code: Numbers
    costs: Numbers
    full: Numbers


@lru_cache(maxsize=256)
def stacked(layouts: Pool[MigLayout], number: int, profile: str) -> SliceTables:
    """The tables of the first `size` layouts of a pool, which only grows."""
    tables = [*(slice_table(layout, profile) for layout in layouts.values[:number]), _EMPTY]
    room, cost, after, free, full = (
        np.array([getattr(table, name) for table in tables]).ravel()
        for name in ("room", "cost", "after", "free", "full")
    )
    costs, first, code = np.unique(cost, return_index=True, return_inverse=True)
    return SliceTables(room, cost, after, free, code, costs, full[first])


@lru_cache(maxsize=4096)
def card_tables(cards: CardSet, profile: str) -> tuple[SliceTable, ...]:
    """The tables of a worker's cards."""
    return tuple(slice_table(layout, profile) for layout in cards.layouts)


@lru_cache(maxsize=4096)
def slice_table(layout: MigLayout, profile: str) -> SliceTable:
    """The table of one layout; `profile` is written in small letters."""
    existing, possible = _existing(layout, profile), _possible(layout, profile)
    room, values = np.zeros(MASKS, np.int64), _values(layout)
    for mask in (possible or existing).values():
        room += (_MASKS & mask) == 0
    start, cost = np.zeros(MASKS, np.int64), np.full(MASKS, NEVER)
    after = _MASKS.copy()
    for begin, mask in starts_of(layout, profile).items():
        then = _MASKS | mask
        way = _ways(layout, begin in existing)
        # minus binds before <<
        asked = (way << WAY_BIT) + (values - values[then] << LOSS_BIT) + (values[then] << LEFT_BIT)
        better = ((_MASKS & mask) == 0) & (asked <= cost)  # starts rise, so that <= takes the highest start of equals
        start[better], cost[better], after[better] = begin, asked[better], then[better]
    free, size = ONES[_usable(layout) & ~_MASKS], ONES[after & ~_MASKS]
    full = size / np.maximum(free, 1) - worth_less(cost)
    # `//` binds before <<: free slices in bits 4 to 7, slices that are taken in bits 0 to 3 (each at most 8).
    cost = np.where(cost < NEVER, cost + (free << LEFT_BIT // 2) + size, NEVER)
    return SliceTable(
        _spelled(layout, profile),
        room.tolist(),
        start.tolist(),
        cost.tolist(),
        after.tolist(),
        np.where(cost < NEVER, np.maximum(full, 0.0), 0.0).tolist(),
        free.tolist(),
    )


def starts_of(layout: MigLayout, profile: str) -> dict[int, int]:
    """The slices of every instance of a profile that exists or may be made, by its start."""
    return dict(sorted({**_possible(layout, profile), **_existing(layout, profile)}.items()))


def worth_less(cost: Any) -> Any:
    """What reconfiguring, and large rooms that are lost, take off a fullness."""
    # Two bits hold the four ways, 18 bits the lost room.
    return (cost >> WAY_BIT & 3) * RECONFIGURED + (cost >> LOSS_BIT & (1 << _DIGITS * _DIGIT_BITS) - 1) * _LOST


def _listed(layout: MigLayout) -> tuple[MigInstance, ...]:
    """The instances that exist; where the geometry is not known, as many as there are slices."""
    listed = layout.state.slices if layout.state and layout.enabled else ()
    return listed if layout.geometry is not None else listed[:MEMORY_SLICES]


def _existing(layout: MigLayout, profile: str) -> dict[int, int]:
    """The slices of each instance of a profile that exists, by its start."""
    found = [each for each in _listed(layout) if each.profile.lower() == profile]
    return {each.start: layout.mask(each) for each in found if each.start is not None}


def existing_room(layout: MigLayout, profile: str) -> list[int]:
    """How many free instances of a profile exist, by mask."""
    masks = _existing(layout, profile).values()
    return [sum(not taken & mask for mask in masks) for taken in range(MASKS)]


def _possible(layout: MigLayout, profile: str) -> dict[int, int]:
    """The slices of each instance that may be made, by its start."""
    found = layout.geometry.profile(profile) if layout.geometry and layout.reconfigurable else None
    return {start: found.mask(start) for start in found.starts} if found else {}


def _ways(layout: MigLayout, exists: bool) -> Numbers:
    if exists:
        return np.full(MASKS, int(InstanceCut.EXISTS))
    # A card with a slice in use will have MIG switched on already.
    return np.where(layout.enabled | (_MASKS > 0), int(InstanceCut.CUT), int(InstanceCut.SWITCH_ON))


def _usable(layout: MigLayout) -> int:
    """The slices that could be given at all: all of them, or those of instances that exist."""
    if layout.reconfigurable and layout.geometry is not None:
        return (1 << layout.slices) - 1
    union = 0
    for each in _listed(layout):
        union |= layout.mask(each)
    return union


@lru_cache(maxsize=1024)
def _values(layout: MigLayout) -> Numbers:
    """By mask, the room for every profile as one number, that for the largest first."""
    if layout.geometry is not None:
        names = [each.name for each in reversed(layout.geometry.profiles)]
    else:
        listed = {each.profile.lower() for each in layout.state.slices} if layout.state else set()
        names = sorted(listed, key=lambda name: (-(profile_memory_mib(name) or 0), name))
    values = np.zeros(MASKS, np.int64)
    for digit, name in enumerate(names[:_DIGITS], 1):
        room = np.minimum(np.frombuffer(layout.room(name), np.uint8), (1 << _DIGIT_BITS) - 1).astype(np.int64)
        values += room << (_DIGITS - digit) * _DIGIT_BITS
    return values


def _spelled(layout: MigLayout, profile: str) -> str:
    """As the card's owner writes it."""
    listed = layout.state.slices if layout.state else ()
    return next((each.profile for each in listed if each.profile.lower() == profile), profile)


_EMPTY = SliceTable("", [0] * MASKS, [0] * MASKS, [NEVER] * MASKS, list(range(MASKS)), [0.0] * MASKS, [0] * MASKS)
