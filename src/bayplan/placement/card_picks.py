"""Which of its candidates each row takes: in the smallest island, then by what they are worth, then by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.placement.ask import Taking
from bayplan.placement.card_masks import marked, masks_of
from bayplan.placement.linked_sets import demands, kinds_of_rows, near_of
from bayplan.placement.near_sets import NO_ISLAND
from bayplan.placement.set_copies import spared, whole_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray
    from bayplan.placement.ask import Ask
    from bayplan.placement.near_sets import NearSets, Option

    Numbers = npt.NDArray[Any]

READS = ("links_id", "cards_id", "pools")

_NEVER = np.iinfo(np.int64).max
_MOST_SUMS = 1 << 22
"""So many sums of sets are looked at at once."""


def least(worth: Numbers, candidates: BoolArray, cards: Numbers) -> BoolArray:
    """Of the candidates in each row so many cards with the least worth, equals by position."""
    ranked = np.where(candidates, worth, _NEVER)
    if cards.size and cards.max() == 1:
        chosen = np.zeros(candidates.shape, np.bool_)
        lines = np.flatnonzero(cards == 1)
        chosen[lines, ranked[lines].argmin(1)] = True
        return chosen
    order = ranked.argsort(1, kind="stable")
    chosen = np.empty(candidates.shape, np.bool_)
    np.put_along_axis(chosen, order, np.arange(candidates.shape[1]) < cards[:, None], 1)
    return chosen


def pick_sets(
    ask: Ask, rows: Any, candidates: BoolArray, cards: Numbers, worth: Numbers, slots: Numbers | None = None
) -> tuple[BoolArray, Numbers]:
    """The cards that each row takes, and the size of the island that they are in.

    `slots` says how many shares each card holds, where copies must be spared; nothing is taken where no set is near
    enough. Rows whose links nobody told have no islands.
    """
    chosen = least(worth, candidates, cards) if slots is None else _sparing(ask, candidates, cards, worth, slots)
    size = np.full(len(cards), NO_ISLAND)
    for near, lines in _groups(ask, rows, cards):
        _narrow(ask, near, lines, (chosen, size), candidates, worth, slots)
    return chosen, size


def _groups(ask: Ask, rows: Any, cards: Numbers) -> Iterator[tuple[NearSets, Numbers]]:
    """The rows in which it matters how cards are linked, by kind of worker and number of cards."""
    several = cards > 1
    if not demands(ask):
        several = several & (rows.links_id >= 0)
    if not several.any():
        return
    lines = np.flatnonzero(several)
    for count in np.unique(cards[lines]).tolist():
        alike = lines[cards[lines] == count]
        for links_id, cards_id, places in kinds_of_rows(rows.links_id[alike], rows.cards_id[alike]):
            yield near_of(ask, rows.pools, links_id, cards_id, count), alike[places]


def _narrow(
    ask: Ask, near: NearSets, lines: Numbers, made: tuple[BoolArray, Numbers], candidates: BoolArray, worth: Numbers,
    slots: Numbers | None,
) -> None:  # fmt: skip
    """Write cards and sizes of rows that are linked alike, equal candidates together."""
    chosen, size = made
    copies = ask.copies if ask.taking is Taking.WHOLE else 1
    masks, which = np.unique(masks_of(candidates[lines]), return_inverse=True)
    for number, mask in enumerate(masks.tolist()):
        options = whole_options(near, mask, copies)
        alike = lines[which == number]
        if len(options) == 1 and options[0].sets is None and options[0].cards == mask:
            size[alike] = options[0].size
        elif not options:
            chosen[alike] = False
        elif slots is None:
            size[alike] = options[0].size
            chosen[alike] = _cheapest(options, worth[alike], near.count)
        else:
            for line in alike.tolist():
                room = np.where(candidates[line], np.minimum(slots[line], ask.copies), 0)
                size[line], cards = spared(near, tuple(room.tolist()), worth[line].tolist(), ask.copies)
                chosen[line] = marked(cards, chosen.shape[1])


def _cheapest(options: Sequence[Option], worth: Numbers, count: int) -> BoolArray:
    """In each of these rows the set that is worth least together, equals by position."""
    best = np.zeros(worth.shape, np.bool_)
    lowest, first = np.full(len(worth), _NEVER), np.full(len(worth), worth.shape[1])
    for option in options:
        found = _of_option(option, worth, count)
        together, start = np.where(found, worth, 0).sum(1), found.argmax(1)
        better = (together < lowest) | ((together == lowest) & (start < first))
        best[better], lowest[better], first[better] = found[better], together[better], start[better]
    return best


def _of_option(option: Option, worth: Numbers, count: int) -> BoolArray:
    width = worth.shape[1]
    if option.sets is None:
        inside = np.broadcast_to(marked(option.cards, width), worth.shape)
        return least(worth, inside, np.full(len(worth), count))
    sets = np.array([marked(each, width) for each in option.sets])
    step = max(1, _MOST_SUMS // len(sets))
    starts = range(0, len(worth), step)
    lowest = [(worth[start : start + step] @ sets.T.astype(np.int64)).argmin(1) for start in starts]
    found: BoolArray = sets[np.concatenate(lowest)]
    return found


def _sparing(ask: Ask, candidates: BoolArray, cards: Numbers, worth: Numbers, slots: Numbers) -> BoolArray:
    """The cards worth least that leave room for as many further copies as any choice does.

    A card holds `slots` copies. With m the most copies that fit, a card with fewer than m slots loses one that is
    wanted later; only `slack` of those may be taken.
    """
    low, high = np.ones(len(cards), np.int64), np.full(len(cards), ask.copies, np.int64)
    while (low < high).any():
        middle = (low + high + 1) // 2
        holds = np.minimum(slots, middle[:, None]).sum(1) >= cards * middle
        low, high = np.where(holds, middle, low), np.where(holds, high, middle - 1)
    slack = np.minimum(slots, low[:, None] - 1).sum(1) - cards * (low - 1)
    small = candidates & (slots < low[:, None])
    taken = least(worth, small, np.minimum(np.minimum(slack, cards), small.sum(1)))
    return taken | least(worth, candidates & ~small, cards - taken.sum(1))
