"""Sets of cards that leave room for as many equal ones as any choice does."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from bayplan.placement.cards.linked.near_sets import NO_ISLAND, Option
from bayplan.placement.cards.masks import mask_of, places_of, positions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.placement.cards.linked.near_sets import NearSets

    Slots = tuple[int, ...]

MOST_SLOTS = 24
"""Copies on cards that are not all linked are counted exactly up to this number of shares, because the search
grows exponentially; beyond it, sets are taken one by one, the roomiest first."""


@lru_cache(maxsize=65_536)
def whole_options(near: NearSets, mask: int, copies: int) -> tuple[Option, ...]:
    """From what of these wholly free cards a set is taken: in the smallest islands, sparing the copies to come."""
    options = near.options(mask)
    if copies > 1 and any(option.sets is not None for option in options):
        slots = tuple([mask >> place & 1 for place in range(near.width)])  # a whole card is in one set at most
        wanted = most_copies(near, slots, copies) - 1  # one of them is the set that is taken now
        if wanted:
            options = tuple(_leaving(near, options, slots, wanted))
    return tuple(option for option in options if option.size == options[0].size)


def _leaving(near: NearSets, options: Sequence[Option], slots: Slots, wanted: int) -> Iterator[Option]:
    """The sets that leave room for `wanted` copies; where any cards may be taken together, all sets do."""
    for option in options:
        if option.sets is None:
            yield option
            continue
        sets = tuple(each for each in option.sets if most_copies(near, _without(slots, each), wanted) >= wanted)
        if sets:
            yield option._replace(sets=sets)


def pick(options: Sequence[Option], worth: Sequence[int], count: int) -> int:
    """Of equally good options the set that is worth least together, equals by position."""
    if len(options) == 1 and options[0].sets is None:
        return _least(options[0].cards, worth, count)
    sets = [each for option in options for each in (option.sets or (_least(option.cards, worth, count),))]
    return min(sets, key=lambda each: _rank(each, worth))


def spared(near: NearSets, slots: Slots, worth: Sequence[int], copies: int) -> tuple[int, int]:
    """The set for a share where each card holds `slots` shares, and the size of its island.

    It spares the copies, then it is in the smallest island, then it is worth least.
    """
    mask = mask_of(place for place, each in enumerate(slots) if each)
    held = {part: _most_in_part(near, _only(slots, part), copies) for part in near.parts(mask)}
    everything = sum(held.values())
    wanted = min(copies, everything) - 1
    best: tuple[int, int, tuple[int, ...]] | None = None
    for option in near.options(mask):
        if best is not None and option.size > best[0]:  # options come with the smallest island first
            break
        part = next(part for part in held if option.cards & part)  # parts are disjoint, so that one common card tells
        left = max(0, wanted - (everything - held[part]))  # what the other parts hold need not be spared in this one
        for each in _sparing(near, option, _only(slots, part), worth, left):
            rank = (option.size, *_rank(each, worth))
            best = rank if best is None else min(best, rank)
    return (NO_ISLAND, 0) if best is None else (best[0], mask_of(best[2]))


def _sparing(near: NearSets, option: Option, slots: Slots, worth: Sequence[int], left: int) -> Iterator[int]:
    """The sets of an option after which its part still holds `left` copies; of equal sets only the best."""
    if option.sets is not None:
        yield from (each for each in option.sets if _most_in_part(near, _without(slots, each), left) >= left)
        return
    count = near.count
    small = mask_of(place for place in positions(option.cards) if slots[place] <= left)
    large = option.cards & ~small
    slack = sum(min(each, left) for each in slots) - count * left  # slots beyond what the copies that are left need
    for number in range(min(slack, count, small.bit_count()) + 1):
        if count - number <= large.bit_count():
            yield _least(small, worth, number) | _least(large, worth, count - number)


def most_copies(near: NearSets, slots: Slots, most: int) -> int:
    """How many sets, at most `most`, can be taken one after the other where each card is in `slots` of them."""
    mask = mask_of(place for place, each in enumerate(slots) if each > 0)
    held = 0
    for part in near.parts(mask):
        held += _most_in_part(near, _only(slots, part), most - held)
        if held >= most:
            break
    return held


@lru_cache(maxsize=262_144)
def _most_in_part(near: NearSets, slots: Slots, most: int) -> int:
    """The same inside one part, or what a part has become."""
    mask = mask_of(place for place, each in enumerate(slots) if each > 0)
    bound = _most_anyhow(slots, near.count, most)  # no choice of sets holds more: reaching it ends the search
    parts = near.parts(mask)
    if not bound or not parts:
        return 0
    if parts != [mask]:
        return min(bound, most_copies(near, slots, bound))
    if near.is_complete(mask):
        return bound
    if sum(min(each, bound) for each in slots) > MOST_SLOTS:
        return _one_by_one(near, slots, bound)
    lowest = mask & -mask  # either some set contains the lowest card, and may as well come first, or none does
    best = 0
    for each in near.sets(mask):
        if each & lowest:
            best = max(best, 1 + _most_in_part(near, _without(slots, each), bound - 1))
            if best == bound:
                return best
    return max(best, _most_in_part(near, _only(slots, mask & ~lowest), bound))


def _one_by_one(near: NearSets, slots: Slots, most: int) -> int:
    taken = 0
    while taken < most:
        mask = mask_of(place for place, each in enumerate(slots) if each > 0)
        sets = [each for part in near.parts(mask) for each in _few_sets(near, part, slots)]
        if not sets:
            break
        slots = _without(slots, max(sets, key=lambda each: sum(slots[place] for place in positions(each))))
        taken += 1
    return taken


def _few_sets(near: NearSets, part: int, slots: Slots) -> Sequence[int]:
    if near.is_complete(part):
        return (_least(part, [-each for each in slots], near.count),)
    return near.sets(part)


def _most_anyhow(slots: Slots, count: int, most: int) -> int:
    """How many sets there would be if any cards were near each other."""
    # bisection: where a number of sets exists, every smaller one does
    low, high = 0, max(0, min(most, sum(slots) // count))
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(each, middle) for each in slots) >= middle * count:
            low = middle
        else:
            high = middle - 1
    return low


def _least(cards: int, worth: Sequence[int], count: int) -> int:
    return mask_of(sorted(places_of(cards), key=worth.__getitem__)[:count])  # a sort keeps the order of equals


def _rank(cards: int, worth: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    places = places_of(cards)
    return sum([worth[place] for place in places]), places


def _only(slots: Slots, mask: int) -> Slots:
    return tuple([each if mask >> place & 1 else 0 for place, each in enumerate(slots)])


def _without(slots: Slots, cards: int) -> Slots:
    return tuple([each - (cards >> place & 1) for place, each in enumerate(slots)])
