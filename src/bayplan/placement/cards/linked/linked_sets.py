"""Rows and what joins their cards: which demand their candidates miss, and how fast those are that they give."""

from __future__ import annotations

from functools import lru_cache
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.placement.cards.distinct import numbered
from bayplan.placement.cards.linked.near_sets import near_sets
from bayplan.placement.cards.masks import masks_of, positions

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from bayplan.cluster.links import LinkMatrix
    from bayplan.cluster.pools import Pools
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.linked.near_sets import NearSets
    from bayplan.placement.cards.rows import CardRows, Numbers


def demands(ask: Ask) -> bool:
    """Whether it matters to an ask how its cards are linked, beyond a preference."""
    return ask.locality is not None or ask.min_bandwidth_gb_per_s > 0


def near_of(ask: Ask, pools: Pools, links_id: int, cards_id: int, count: int) -> NearSets:
    """The sets of `count` cards that an ask allows on workers with these links and cards."""
    links = None if links_id < 0 else pools.links[links_id]
    return near_sets(links, pools.cards[cards_id].numa, ask.locality, ask.min_bandwidth_gb_per_s, count)


def kinds_of_rows(links_id: Numbers, cards_id: Numbers) -> Iterator[tuple[int, int, Numbers]]:
    """The rows with equal links and cards, kind by kind."""
    keys = (links_id.astype(np.int64) << 32) | cards_id  # both numbers in one word, so that equal pairs are equal
    if not len(keys):
        return
    if (keys == keys[0]).all():
        yield int(links_id[0]), int(cards_id[0]), np.arange(len(keys))
        return
    distinct, which = numbered(keys)
    for number, key in enumerate(distinct):
        yield key >> 32, key & 0xFFFFFFFF, np.flatnonzero(which == number)  # >> keeps the sign: unknown links are -1


def lacking(ask: Ask, rows: CardRows, masks: Numbers, count: int, lines: Numbers) -> npt.NDArray[np.int8]:
    """What the candidates of these rows, a mask each, lack to be a set that the ask allows: bits, or 0."""
    found = np.zeros(len(masks), np.int8)
    if not demands(ask) or count < 2:  # one card has no link
        return found
    for links_id, cards_id, places in kinds_of_rows(rows.links_id[lines], rows.cards_id[lines]):
        found[places] = near_of(ask, rows.pools, links_id, cards_id, count).lacks_each(masks[places])
    return found


def slowest_gb_per_s(chosen: BoolArray, links_id: npt.NDArray[Any], pools: Pools) -> FloatArray:
    """In each row the fewest GB/s between two of the chosen cards; NaN where they are not known, or fewer than two.

    Each distinct set of cards on each distinct matrix is looked at once.
    """
    slowest = np.full(len(chosen), nan)
    masks = masks_of(chosen)
    for number in np.unique(links_id[links_id >= 0]).tolist():
        rows, links = np.flatnonzero(links_id == number), pools.links[number]
        sets, which = np.unique(masks[rows], return_inverse=True)
        slowest[rows] = np.array([_slowest(links, each) for each in sets.tolist()], np.float64)[which]
    return slowest


@lru_cache(maxsize=65_536)
def _slowest(links: LinkMatrix, mask: int) -> float:
    """The slowest link inside a mask."""
    speed = links.smallest_bandwidth(list(positions(mask)))
    return nan if speed is None else speed
