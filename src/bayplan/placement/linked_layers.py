"""Cards for a model that is divided by layers, where it matters how they are linked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.placement import layer_cards
from bayplan.placement.card_masks import mask_of, positions
from bayplan.placement.linked_sets import near_of
from bayplan.placement.near_sets import NO_ISLAND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from bayplan.placement.ask import Ask, Layers
    from bayplan.placement.near_sets import NearSets, Option

    Numbers = npt.NDArray[Any]
    Near = Callable[[int], NearSets]


def linked_layer_fits(ask: Ask, rows: Any, room: Numbers) -> tuple[Numbers, Numbers]:
    """As `layer_fits`, of cards that are linked as the ask demands; the order says what they lack where they are not.

    Row by row, equal rows once: engines that divide by layers seldom demand links.
    """
    layers = ask.layers
    assert layers is not None  # noqa: S101 (what LAYERS means)
    known: dict[tuple[int, ...], tuple[int, int]] = {}
    found = []
    for row, amounts in enumerate(room.tolist()):
        links_id, cards_id = int(rows.links_id[row]), int(rows.cards_id[row])
        key = (links_id, cards_id, *amounts)
        if key not in known:
            known[key] = _fit(layers, amounts, partial(near_of, ask, rows.pools, links_id, cards_id))
        found.append(known[key])
    shapes, orders = np.array(found, np.int64).reshape(-1, 2).T
    return shapes, orders


def _fit(layers: Layers, free_mib: Sequence[int], near: Near) -> tuple[int, int]:
    """(cards, order) of one worker; fewer layers left behind come first, then fewer cards."""
    room = [layers.room_for(free) for free in free_mib]
    mask = mask_of(place for place, most in enumerate(room) if most > 0)
    best = (-1, -1)
    counts = range(1, mask.bit_count() + 1) if layers.cards is None else (layers.cards,)
    for count in counts:
        held = max((_held(option, room, count) for option in near(count).options(mask)), default=0)
        if held >= layers.count:
            return count, count
        order = (layers.count - held) * layer_cards.ORDER_CARDS + count
        if layers.partial and held and (best[1] < 0 or order < best[1]):
            best = count, order
    if best[1] >= 0:
        return best
    cards, _ = layer_cards.fit(layers, room)
    return (-1, -1 - near(cards).lacks(mask)) if cards > 1 else best


def _held(option: Option, room: Sequence[int], count: int) -> int:
    """The most layers that a set of an option holds."""
    if option.sets is None:
        return sum(sorted((room[place] for place in positions(option.cards)), reverse=True)[:count])
    return max(sum(room[place] for place in positions(each)) for each in option.sets)


def choose(layers: Layers, free_mib: Sequence[int], near: NearSets) -> list[int]:
    """Which cards take the layers: in the smallest island that holds as many as any, the least free memory."""
    room = [layers.room_for(free) for free in free_mib]
    mask = mask_of(place for place, most in enumerate(room) if most > 0)
    options = near.options(mask)
    wanted = min(layers.count, max((_held(option, room, near.count) for option in options), default=0))
    size, best = NO_ISLAND + 1, []
    for option in options:
        if option.size > size:
            break
        for places in _holding(layers, option, free_mib, near.count, wanted):
            size = option.size
            best.append((sum(free_mib[place] for place in places), places))
    return min(best)[1] if best else []


def _holding(layers: Layers, option: Option, free_mib: Sequence[int], count: int, wanted: int) -> Iterator[list[int]]:
    """The sets of an option that hold so many layers; where any cards will do, the best of them."""
    room = [layers.room_for(free) for free in free_mib]
    if _held(option, room, count) < wanted:
        return
    if option.sets is None:
        inside = [free if option.cards >> place & 1 else 0 for place, free in enumerate(free_mib)]
        yield layer_cards.choose(layers, inside, count)
        return
    for each in option.sets:
        places = list(positions(each))
        if sum(room[place] for place in places) >= wanted:
            yield places
