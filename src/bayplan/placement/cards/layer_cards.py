"""Cards for a model that is divided by layers: how many it takes, which, and what each of them holds."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.placement.ask import Ask, Layers

    Numbers = npt.NDArray[np.int64]

MOST_SETS = 500
"""Of a worker's sets of cards; those of ten cards are fewer."""

ORDER_CARDS = 1024
"""`fit_order` of a partly offloaded model is layers left behind × this + cards."""


def layers_of(ask: Ask) -> Layers:
    """The layers of an ask that takes cards by them."""
    assert ask.layers is not None  # noqa: S101 (what LAYERS means)
    return ask.layers


def layer_fits(ask: Ask, room: Numbers) -> tuple[Numbers, Numbers]:
    """For each row the number of cards, and its place in the order; -1 where the layers do not fit.

    Fewer layers left behind come first, then fewer cards. Equal rows are asked about once.
    """
    layers = layers_of(ask)
    distinct, which = np.unique(np.sort(room, axis=1), axis=0, return_inverse=True)
    fits = [fit(layers, [layers.room_for(free) for free in row]) for row in distinct.tolist()]
    shapes = np.array([shape for shape, _ in fits], np.int64).reshape(-1)
    orders = np.array([order for _, order in fits], np.int64).reshape(-1)
    which = which.reshape(-1)
    return shapes[which], orders[which]


def fit(layers: Layers, room: Sequence[int]) -> tuple[int, int]:
    """(cards, order) of one worker whose cards have room for so many layers each."""
    largest = sorted((amount for amount in room if amount > 0), reverse=True)
    if layers.cards is not None:
        enough = len(largest) >= layers.cards and sum(largest[: layers.cards]) >= layers.count
        return (layers.cards, layers.cards) if enough else (-1, -1)
    held = 0
    for number, amount in enumerate(largest, 1):
        held += amount
        if held >= layers.count:
            return number, number
    if not layers.partial or not held:
        return -1, -1
    return len(largest), (layers.count - held) * ORDER_CARDS + len(largest)


def choose(layers: Layers, free_mib: Sequence[int], cards: int) -> list[int]:
    """Which `cards` of these cards (0 free: not to be used) take the layers: those with the least free memory that do.

    On workers with more sets of cards than `MOST_SETS` the tightest run of cards in the order of size is taken, then
    its smallest is exchanged for a still smaller one where that is enough.
    """
    room = [layers.room_for(free) for free in free_mib]
    order = sorted((place for place, most in enumerate(room) if most), key=lambda place: (free_mib[place], place))
    wanted = min(layers.count, sum(sorted(room, reverse=True)[:cards]))
    if comb(len(order), cards) <= MOST_SETS:
        return _least_free(order, room, free_mib, cards, wanted)
    return _tightest_run(order, room, cards, wanted)


def _least_free(
    order: Sequence[int], room: Sequence[int], free_mib: Sequence[int], cards: int, wanted: int
) -> list[int]:
    sets = np.array(order, np.intp)[_sets(len(order), cards)]
    enough = np.array(room)[sets].sum(1) >= wanted
    free = np.where(enough, np.array(free_mib)[sets].sum(1), np.iinfo(np.int64).max)
    return sorted(sets[int(free.argmin())].tolist())


@lru_cache(maxsize=256)
def _sets(cards: int, chosen: int) -> npt.NDArray[np.intp]:
    return np.array(list(combinations(range(cards), chosen)), np.intp)


def _tightest_run(order: Sequence[int], room: Sequence[int], cards: int, wanted: int) -> list[int]:
    for start in range(len(order) - cards + 1):
        run = order[start : start + cards]
        held = sum(room[place] for place in run)
        if held < wanted:
            continue
        rest = held - room[run[0]]
        smaller = next((place for place in order[:start] if rest + room[place] >= wanted), run[0])
        return sorted([smaller, *run[1:]])
    return sorted(order)  # never: the last run holds the most


def shares(layers: Layers, free_mib: Sequence[int]) -> list[int]:
    """How many layers each of these cards holds: in proportion to what is free, never more than it has room for."""
    room = [layers.room_for(free) for free in free_mib]
    total = min(layers.count, sum(room))
    weights = [max(0, free - layers.overhead_mib) for free in free_mib]
    whole = sum(weights)
    held = [min(most, total * weight // whole) for most, weight in zip(room, weights, strict=True)]
    by_rest = sorted(range(len(room)), key=lambda place: (-(total * weights[place] % whole), place))
    while (missing := total - sum(held)) > 0:
        for place in [each for each in by_rest if held[each] < room[each]][:missing]:
            held[place] += 1
    return _nobody_idle(held, room)


def _nobody_idle(held: list[int], room: Sequence[int]) -> list[int]:
    """A card was taken because it is needed, or asked for: each gets a layer while there are enough of them."""
    for place, most in enumerate(room):
        fullest = max(range(len(held)), key=held.__getitem__)
        if most and not held[place] and held[fullest] > 1:
            held[fullest], held[place] = held[fullest] - 1, 1
    return held


def fullness(layers: Layers, free_mib: Sequence[int]) -> float:
    """The largest part of what is free that any of these cards gives."""
    held = shares(layers, free_mib)
    parts = [layers.card_mib(number) / free for number, free in zip(held, free_mib, strict=True) if free > 0]
    return min(1.0, max(parts, default=0.0))
