"""Cards for a model that is divided by layers, where it matters how they are linked."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bayplan.placement.cards.layers import layer_cards
from bayplan.placement.cards.linked.linked_sets import near_of
from bayplan.placement.cards.linked.near_sets import APART, NO_ISLAND, SLOW
from bayplan.placement.cards.masks import mask_of, positions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bayplan.cluster.pools import Pools
    from bayplan.placement.asks.ask import Ask, Layers
    from bayplan.placement.cards.linked.near_sets import NearSets, Option
    from bayplan.placement.cards.rows import CardRows, Numbers

    Near = Callable[[int], NearSets]


def linked_layer_fits(ask: Ask, rows: CardRows, room: Numbers) -> tuple[Numbers, Numbers]:
    """As `layer_fits`, of cards that are linked as the ask demands; the order says what they lack where they are not.

    Row by row, equal rows once: engines that divide by layers seldom demand links.
    """
    known: dict[tuple[int, ...], tuple[int, int]] = {}
    found = []
    for row, amounts in enumerate(room.tolist()):
        wires = int(rows.links_id[row]), int(rows.cards_id[row])
        key = (*wires, *amounts)
        if key not in known:
            known[key] = _fit(ask, rows.pools, wires, amounts)
        found.append(known[key])
    shapes, orders = np.array(found, np.int64).reshape(-1, 2).T
    return shapes, orders


def _fit(ask: Ask, pools: Pools, wires: tuple[int, int], free_mib: Sequence[int]) -> tuple[int, int]:
    """(cards, order) of one worker."""
    layers = layer_cards.layers_of(ask)

    def best(asked: Ask) -> tuple[int, int]:
        return _linked_fit(layers, free_mib, partial(near_of, asked, pools, *wires))

    found = best(ask)
    if found[0] > 0 or layer_cards.layer_fits(ask, np.array([free_mib], np.int64))[0][0] < 0:
        return found
    apart = ask.locality is not None and best(replace(ask, min_bandwidth_gb_per_s=0.0))[0] < 0
    slow = ask.min_bandwidth_gb_per_s > 0 and not (apart and best(replace(ask, locality=None))[0] > 0)
    return -1, -1 - APART * apart - SLOW * slow


def _linked_fit(layers: Layers, free_mib: Sequence[int], near: Near) -> tuple[int, int]:
    """(cards, order) on linked cards; fewer layers left behind come first, then fewer cards."""
    best = (-1, -1)
    for count, held in _held_by_number(layers, free_mib, near):
        if held >= layers.count:
            return count, count
        order = (layers.count - held) * layer_cards.ORDER_CARDS + count
        if layers.partial and held and (best[1] < 0 or order < best[1]):
            best = count, order
    return best


def most_layers(layers: Layers, free_mib: Sequence[int], near: Near) -> int:
    """The most layers that linked cards hold."""
    return max((held for _, held in _held_by_number(layers, free_mib, near)), default=0)


def _held_by_number(layers: Layers, free_mib: Sequence[int], near: Near) -> Iterator[tuple[int, int]]:
    """The most layers that each number of cards holds."""
    room = [layers.room_for(free) for free in free_mib]
    mask = mask_of(place for place, most in enumerate(room) if most > 0)
    counts = range(1, mask.bit_count() + 1) if layers.cards is None else (layers.cards,)
    for count in counts:
        yield count, max((_held(option, room, count) for option in near(count).options(mask)), default=0)


def _held(option: Option, room: Sequence[int], count: int) -> int:
    """The most layers that a set of an option holds."""
    if option.sets is None:
        return sum(sorted((room[place] for place in positions(option.cards)), reverse=True)[:count])
    return max(sum(room[place] for place in positions(each)) for each in option.sets)


def choose(layers: Layers, free_mib: Sequence[int], room: Sequence[int], near: NearSets) -> list[int]:
    """Which cards take the layers: in the smallest island that holds as many as any, the least free memory.

    `room` is how many layers each card holds.
    """
    mask = mask_of(place for place, most in enumerate(room) if most > 0)
    options = near.options(mask)
    wanted = min(layers.count, max((_held(option, room, near.count) for option in options), default=0))
    size, best = NO_ISLAND + 1, []
    for option in options:
        if option.size > size:
            break
        for places in _holding(layers, option, free_mib, room, near.count, wanted):
            size = option.size
            best.append((sum(free_mib[place] for place in places), places))
    return min(best)[1] if best else []


def _holding(
    layers: Layers, option: Option, free_mib: Sequence[int], room: Sequence[int], count: int, wanted: int
) -> Iterator[list[int]]:
    """The sets of an option that hold all layers; where any cards will do, the best of them."""
    if _held(option, room, count) < wanted:
        return
    if option.sets is None:
        inside = [most if option.cards >> place & 1 else 0 for place, most in enumerate(room)]
        yield layer_cards.choose_by_room(layers, free_mib, inside, count)
        return
    for each in option.sets:
        places = list(positions(each))
        if sum(room[place] for place in places) >= wanted:
            yield places
