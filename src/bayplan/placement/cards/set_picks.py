"""Which of its candidates each row takes: in the smallest island, then by what they are worth, then by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bayplan.placement.asks.ask import Taking
from bayplan.placement.cards.cheapest_cards import NEVER, least
from bayplan.placement.cards.distinct import numbered
from bayplan.placement.cards.linked.linked_sets import demands, kinds_of_rows, near_of
from bayplan.placement.cards.linked.near_sets import NO_ISLAND
from bayplan.placement.cards.masks import marked, mask_of, masks_of
from bayplan.placement.cards.set_copies import pick, spared, whole_options
from bayplan.placement.cards.spare_sets import spare_anywhere, spare_linked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.plugins import BoolArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.linked.near_sets import NearSets, Option
    from bayplan.placement.cards.rows import CardRows, Numbers

READS = ("links_id", "cards_id", "pools")

_MOST_SUMS = 1 << 22
"""Sums of sets that are computed at once: 32 MiB of 64-bit numbers."""


class Picks(NamedTuple):
    """Of each row the cards that it takes, and the size of the island that they are in."""

    chosen: BoolArray
    size: Numbers


class _Alike(NamedTuple):
    """Rows with equal links, cards and candidates: a number each, and what stands behind the numbers."""

    lines: Numbers
    which: Numbers
    cases: list[tuple[NearSets, int]]


def pick_sets(
    ask: Ask, rows: CardRows, candidates: BoolArray, cards: Numbers, worth: Numbers, slots: Numbers | None = None
) -> Picks:
    """`cards` of the candidates of each row (0: none), worth as little as possible together.

    `slots` says how many shares each card holds, where copies must be spared; nothing is taken where no set is near
    enough. Rows whose links are not known have no islands.
    """
    if len(cards) == 1 and cards[0] > 1:
        return _pick_one(ask, rows, candidates[0], int(cards[0]), worth[0], None if slots is None else slots[0])
    if slots is None:
        chosen = least(worth, candidates, cards)
    else:
        chosen = spare_anywhere(candidates, cards, worth, slots, ask.copies)
    picks = Picks(chosen, np.full(len(cards), NO_ISLAND))
    alike = _alike(ask, rows, candidates, cards)
    if not alike.cases:
        return picks
    if slots is None:
        _narrow(ask, alike, picks, worth)
    else:
        lines = alike.lines
        narrowed = spare_linked(alike.cases, alike.which, slots[lines] * candidates[lines], worth[lines], ask.copies)
        picks.chosen[lines], picks.size[lines] = narrowed
    return picks


def _pick_one(
    ask: Ask, rows: CardRows, candidates: BoolArray, count: int, worth: Numbers, slots: Numbers | None
) -> Picks:
    """The same for one row, which is what changes between two decisions: without the columns it is quicker."""
    near = near_of(ask, rows.pools, int(rows.links_id[0]), int(rows.cards_id[0]), count)
    mask = mask_of(np.flatnonzero(candidates).tolist())
    if slots is None:
        options = whole_options(near, mask, ask.copies if ask.taking is Taking.WHOLE else 1)
        size, cards = (options[0].size, pick(options, worth.tolist(), count)) if options else (NO_ISLAND, 0)
    else:
        held = np.where(candidates, np.minimum(slots, ask.copies), 0)
        size, cards = spared(near, tuple(held.tolist()), worth.tolist(), ask.copies)
    # a copy: `marked` is shared and read-only
    return Picks(marked(cards, len(candidates))[None].copy(), np.array([size]))


def _alike(ask: Ask, rows: CardRows, candidates: BoolArray, cards: Numbers) -> _Alike:
    """The rows in which it matters how cards are linked."""
    several = cards > 1
    if not demands(ask):
        several = several & (rows.links_id >= 0)
    lines = np.flatnonzero(several)
    which = np.zeros(len(lines), np.intp)
    cases: list[tuple[NearSets, int]] = []
    masks = masks_of(candidates[lines])
    for count in sorted(set(cards[lines].tolist())):  # np.unique would load numpy.ma, a tenth of a first plan
        equal = np.flatnonzero(cards[lines] == count)
        for links_id, cards_id, places in kinds_of_rows(rows.links_id[lines[equal]], rows.cards_id[lines[equal]]):
            near = near_of(ask, rows.pools, links_id, cards_id, count)
            distinct, number = numbered(masks[equal[places]])
            which[equal[places]] = number + len(cases)
            cases += [(near, mask) for mask in distinct]
    return _Alike(lines, which, cases)


def _narrow(ask: Ask, alike: _Alike, picks: Picks, worth: Numbers) -> None:
    """Write the cards of rows where not just any of the candidates will do."""
    copies = ask.copies if ask.taking is Taking.WHOLE else 1
    found = [whole_options(near, mask, copies) for near, mask in alike.cases]
    sizes = np.array([options[0].size if options else NO_ISLAND for options in found])
    picks.size[alike.lines] = sizes[alike.which]
    narrower = np.array([not _is_all(options, mask) for options, (_, mask) in zip(found, alike.cases, strict=True)])
    listed = np.array([any(option.sets is not None for option in options) for options in found])
    simple = np.flatnonzero((narrower & ~listed)[alike.which])
    if len(simple):
        lines = alike.lines[simple]
        counts = np.array([near.count for near, _ in alike.cases])[alike.which[simple]]
        picks.chosen[lines] = _in_islands(found, alike.which[simple], worth[lines], counts)
    for number in np.flatnonzero(listed).tolist():
        lines = alike.lines[alike.which == number]
        picks.chosen[lines] = _cheapest(found[number], worth[lines], alike.cases[number][0].count)


def _is_all(options: Sequence[Option], mask: int) -> bool:
    return len(options) == 1 and options[0].sets is None and options[0].cards == mask


def _in_islands(found: Sequence[Sequence[Option]], which: Numbers, worth: Numbers, counts: Numbers) -> BoolArray:
    """In each row the cards worth least together of one of its islands; none where there is no island."""
    best, width = _Best(worth), worth.shape[1]
    for place in range(max(len(options) for options in found)):
        masks = [options[place].cards if place < len(options) else 0 for options in found]
        inside = np.stack([marked(mask, width) for mask in masks])[which]
        there: BoolArray = np.asarray(inside.any(1))
        best.offer(least(worth, inside, counts * there), there)
    return best.chosen


def _cheapest(options: Sequence[Option], worth: Numbers, count: int) -> BoolArray:
    """In each of these rows, which have the same options, the set that is worth least together."""
    best = _Best(worth)
    for option in options:
        best.offer(_of_option(option, worth, count))
    return best.chosen


class _Best:
    """In each row the set that is worth least together so far, equals by position."""

    def __init__(self, worth: Numbers) -> None:
        self.worth, self.chosen = worth, np.zeros(worth.shape, np.bool_)
        # Worse than any set; the width is behind every position.
        self._lowest, self._first = np.full(len(worth), NEVER), np.full(len(worth), worth.shape[1])

    def offer(self, found: BoolArray, there: BoolArray | bool = True) -> None:
        together, first = np.where(found, self.worth, 0).sum(1), found.argmax(1)
        better = there & ((together < self._lowest) | ((together == self._lowest) & (first < self._first)))
        self.chosen[better] = found[better]
        self._lowest[better], self._first[better] = together[better], first[better]


def _of_option(option: Option, worth: Numbers, count: int) -> BoolArray:
    width = worth.shape[1]
    if option.sets is None:
        inside = np.broadcast_to(marked(option.cards, width), worth.shape)
        return least(worth, inside, np.full(len(worth), count))
    sets = np.array([marked(each, width) for each in option.sets])
    step = max(1, _MOST_SUMS // len(sets))
    starts = range(0, len(worth), step)
    # Sets stand with the lowest cards first, so that argmin takes the lowest of equals.
    lowest = [(worth[start : start + step] @ sets.T.astype(np.int64)).argmin(1) for start in starts]
    found: BoolArray = sets[np.concatenate(lowest)]
    return found
