"""Which cards take a model that is divided by layers, on many workers at once, and how full they get."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.cards.layers import layer_cards
from bayplan.placement.cards.linked.linked_layers import choose
from bayplan.placement.cards.linked.linked_sets import near_of
from bayplan.placement.cards.masks import mask_of, positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.placement.asks.ask import Ask, Layers
    from bayplan.placement.cards.linked.near_sets import NearSets, Option
    from bayplan.placement.cards.rows import CardRows, Numbers

    Group = tuple[int, int, int, int]

_BITS = 62
"""Masks of this many cards are numbers of 64 bits."""

_EXACT = 1 << 53
"""Up to here whole numbers are exact as floats."""

_AT_ONCE = 256
"""Rows whose sets of cards are added up at once: with the 500 sets that a worker may have, some MiB."""


def choose_layers(ask: Ask, rows: CardRows) -> tuple[BoolArray, FloatArray]:
    """The cards that each row gives, and the largest part that any of them gives of what it has free.

    Cards of one island come first, as everywhere. Rows with equal links, cards and candidates are looked at together.
    """
    layers = layer_cards.layers_of(ask)
    kind = (rows.card_leader == rows.fit_leader[:, None]) & (rows.card_rank >= 0)
    free = np.where(kind, np.maximum(rows.card_room, 0), 0)
    room = layers.rooms_for(free)
    chosen = np.zeros(free.shape, np.bool_)
    single = np.flatnonzero(rows.fit_shape == 1)
    chosen[single, _one_card(layers, free[single], room[single])] = True
    for (number, links_id, cards_id, mask), group in _groups(rows, room).items():
        near, lines = near_of(ask, rows.pools, links_id, cards_id, number), np.array(group, np.intp)
        options = near.options(mask)
        if _is_plain(options, mask) and _are_few(options[0].cards, number):
            for begin in range(0, len(lines), _AT_ONCE):
                some = lines[begin : begin + _AT_ONCE]
                chosen[some] = _least_free(layers, free[some], room[some], options[0].cards, number)
        else:
            for line in group:
                chosen[line, _one(layers, free[line], room[line], near)] = True
    return chosen, _fullness(layers, free, room, chosen)


def _groups(rows: CardRows, room: Numbers) -> dict[Group, list[int]]:
    """The rows that hold the layers on several cards, by number of cards, links, cards and cards with room for one."""
    lines = np.flatnonzero(rows.fit_shape > 1)
    some, width = room[lines] > 0, room.shape[1]
    if width <= _BITS:
        # a sum of different powers of two is their mask
        masks = (some * (1 << np.arange(width, dtype=np.int64))).sum(1).tolist()
    else:
        masks = [mask_of(np.flatnonzero(each).tolist()) for each in some]
    columns = (column[lines].tolist() for column in (rows.fit_shape, rows.links_id, rows.cards_id))
    groups: dict[Group, list[int]] = {}
    for line, *group in zip(lines.tolist(), *columns, masks, strict=True):
        number, links_id, cards_id, mask = group
        groups.setdefault((number, links_id, cards_id, mask), []).append(line)
    return groups


def _one_card(layers: Layers, free: Numbers, room: Numbers) -> Numbers:
    """Of each row the card with the least free that holds the layers, or most of them: one card is near to itself."""
    wanted = np.minimum(layers.count, room.max(1, initial=0))
    least: Numbers = np.where((room >= wanted[:, None]) & (room > 0), free, np.iinfo(np.int64).max).argmin(1)
    return least


def _is_plain(options: Sequence[Option], mask: int) -> bool:
    """Whether the first option is taken whatever is free: any of its cards will do, and no other option holds more."""
    if not options or options[0].sets is not None:
        return False
    return len(options) == 1 or (options[0].cards == mask and options[1].size > options[0].size)


def _are_few(cards: int, number: int) -> bool:
    """Whether all sets of these cards are compared; see `layer_cards.choose`."""
    return number == 1 or comb(cards.bit_count(), number) <= layer_cards.MOST_SETS


def _least_free(layers: Layers, free: Numbers, room: Numbers, cards: int, number: int) -> BoolArray:
    """As `layer_cards.choose` among these cards, for rows in which each of them holds a layer."""
    places = np.array(list(positions(cards)), np.intp)
    order = free[:, places].argsort(1, kind="stable")  # stable: equal cards stay in the order of their positions
    amounts = np.take_along_axis(free[:, places], order, 1)
    rooms = np.take_along_axis(room[:, places], order, 1)
    sets = layer_cards.sets_of(len(places), number)
    held = rooms[:, sets].sum(2)
    wanted = np.minimum(layers.count, held.max(1))
    sums = np.where(held >= wanted[:, None], amounts[:, sets].sum(2), np.iinfo(np.int64).max)
    picked = places[np.take_along_axis(order, sets[sums.argmin(1)], 1)]
    chosen = np.zeros(free.shape, np.bool_)
    np.put_along_axis(chosen, picked, values=True, axis=1)
    return chosen


def _one(layers: Layers, free: Numbers, room: Numbers, near: NearSets) -> list[int]:
    return choose(layers, free.tolist(), room.tolist(), near)


def _fullness(layers: Layers, free: Numbers, room: Numbers, chosen: BoolArray) -> FloatArray:
    """`layer_cards.fullness` of the chosen cards of each row."""
    full, cards, each = np.zeros(len(free)), chosen.sum(1), layers.layer_mib
    exact = max(layers.count * each.numerator, layers.overhead_mib, int(free.max(initial=0))) < _EXACT
    single = (cards == 1) & (exact and each.denominator < _EXACT)
    if single.any():
        held = np.minimum(layers.count, np.where(chosen, room, 0).sum(1)[single])
        # the two minus signs make // round up
        taken = -(-held * each.numerator // each.denominator) + layers.overhead_mib
        full[single] = np.minimum(1.0, taken / np.where(chosen, free, 0).sum(1)[single])
    known: dict[tuple[int, ...], float] = {}
    for line in np.flatnonzero((cards > 0) & ~single).tolist():
        amounts = tuple(free[line][chosen[line]].tolist())
        if amounts not in known:
            known[amounts] = layer_cards.fullness(layers, amounts)
        full[line] = known[amounts]
    return full
