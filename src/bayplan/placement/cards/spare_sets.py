"""Cards for a share, row by row, that leave room for as many further copies as any choice does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.placement.cards.cheapest_cards import NEVER, early, least
from bayplan.placement.cards.linked.near_sets import NO_ISLAND
from bayplan.placement.cards.masks import marked
from bayplan.placement.cards.set_copies import spared

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray
    from bayplan.placement.cards.linked.near_sets import NearSets

    Numbers = npt.NDArray[Any]
    Case = tuple[NearSets, int]


def spare_anywhere(candidates: BoolArray, cards: Numbers, worth: Numbers, slots: Numbers, copies: int) -> BoolArray:
    """Where any candidates may be taken together; a card holds `slots` copies."""
    most = most_together(slots, cards, copies)
    return _spare(candidates, cards, worth, slots, np.maximum(most - 1, 0))[0]


def spare_linked(
    cases: Sequence[Case], which: Numbers, slots: Numbers, worth: Numbers, copies: int
) -> tuple[BoolArray, Numbers]:
    """Where it matters how cards are linked: the cards, and the size of their island.

    Rows in which any cards of a part may be taken together are answered all at once, others one by one.
    """
    chosen, size = np.zeros(slots.shape, np.bool_), np.full(len(slots), NO_ISLAND)
    listed = [any(option.sets is not None for option in near.options(mask)) for near, mask in cases]
    single = np.array(listed)[which]
    for line in np.flatnonzero(single).tolist():
        near, _ = cases[int(which[line])]
        held = np.minimum(slots[line], copies).tolist()
        size[line], cards = spared(near, tuple(held), worth[line].tolist(), copies)
        chosen[line] = marked(cards, slots.shape[1])
    lines = np.flatnonzero(~single)
    if len(lines):
        chosen[lines], size[lines] = _by_parts(cases, which[lines], slots[lines], worth[lines], copies)
    return chosen, size


def _by_parts(
    cases: Sequence[Case], which: Numbers, slots: Numbers, worth: Numbers, copies: int
) -> tuple[BoolArray, Numbers]:
    """Copies in one part take nothing from another: what the others hold need not be left here."""
    width, count = slots.shape[1], np.array([near.count for near, _ in cases])[which]
    parts = [near.parts(mask) for near, mask in cases]
    options = [near.options(mask) for near, mask in cases]
    insides = [_marked(parts, place, which, width) for place in range(max(map(len, parts), default=0))]
    most = [most_together(slots * inside, count, copies) for inside in insides]
    everything = sum(most, start=np.zeros(len(which), np.int64))
    chosen, size = np.zeros(slots.shape, np.bool_), np.full(len(which), NO_ISLAND)
    lowest = np.full(len(which), NEVER)
    for place in range(max(map(len, options), default=0)):
        inside = _marked([[option.cards for option in each] for each in options], place, which, width)
        sizes = np.array([each[place].size if place < len(each) else NO_ISLAND + 1 for each in options])[which]
        for part, held in zip(insides, most, strict=True):
            left = np.maximum(np.minimum(copies, everything) - 1 - (everything - held), 0)
            mine = inside & part
            found, fits = _spare(mine, count * mine.any(1), worth, slots * part, left)
            together = np.where(found, worth, 0).sum(1)
            equal = (together == lowest) & (early(found) > early(chosen))
            better = fits & mine.any(1) & ((sizes < size) | ((sizes == size) & ((together < lowest) | equal)))
            chosen[better], size[better], lowest[better] = found[better], sizes[better], together[better]
    return chosen, size


def _marked(masks: Sequence[Sequence[int]], place: int, which: Numbers, width: int) -> BoolArray:
    """The n-th mask of each row's case; nothing where it has fewer."""
    rows = np.stack([marked(each[place] if place < len(each) else 0, width) for each in masks])
    found: BoolArray = rows[which]
    return found


def most_together(slots: Numbers, cards: Numbers, copies: int) -> Numbers:
    """How many copies of `cards` cards a row holds, up to `copies`: the largest m with Σ min(m, slots) ≥ m × cards."""
    low, high = np.zeros(len(cards), np.int64), np.full(len(cards), copies, np.int64)
    while (low < high).any():
        middle = (low + high + 1) // 2
        holds = np.minimum(slots, middle[:, None]).sum(1) >= cards * middle
        low, high = np.where(holds, middle, low), np.where(holds, high, middle - 1)
    return low


def _spare(
    candidates: BoolArray, cards: Numbers, worth: Numbers, slots: Numbers, left: Numbers
) -> tuple[BoolArray, BoolArray]:
    """The cards worth least that leave room for that number of copies, and whether there are any.

    A card with no more slots than copies that are left loses one that is wanted later; only `slack` of those may be
    taken.
    """
    slack = np.minimum(slots, left[:, None]).sum(1) - cards * left
    small = candidates & (slots <= left[:, None]) & (left > 0)[:, None]
    large = candidates & ~small
    most = np.minimum(np.minimum(slack, cards), small.sum(1))
    fits: BoolArray = (most >= 0) & (cards - most <= large.sum(1))
    number = np.where(fits, most, 0)
    chosen = least(worth, small, number) | least(worth, large, fits * (cards - number))
    if not _smaller_is_less(small, large, worth):
        _exchange(chosen, (small, large), cards, worth, number)
    return chosen, fits


def _smaller_is_less(small: BoolArray, large: BoolArray, worth: Numbers) -> bool:
    """Whether in every row each small card is worth less than any large one, so that small ones are taken first."""
    dearest = np.where(small, worth, -NEVER).max(1, initial=-NEVER)
    return bool((dearest < np.where(large, worth, NEVER).min(1, initial=NEVER)).all())


def _exchange(
    chosen: BoolArray, kinds: tuple[BoolArray, BoolArray], cards: Numbers, worth: Numbers, most: Numbers
) -> None:
    """Take fewer small cards where large ones are worth less, or as little and lower."""
    small, large = kinds
    lowest = np.where(chosen, worth, 0).sum(1)
    for number in range(int(most.max(initial=0))):
        possible = (number < most) & (cards - number <= large.sum(1))
        found = least(worth, small, possible * number) | least(worth, large, possible * (cards - number))
        together = np.where(found, worth, 0).sum(1)
        better = possible & ((together < lowest) | ((together == lowest) & (early(found) > early(chosen))))
        chosen[better], lowest[better] = found[better], together[better]
