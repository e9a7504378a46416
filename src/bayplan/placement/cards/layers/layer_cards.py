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

    from bayplan.placement.asks.ask import Ask, Layers

    Numbers = npt.NDArray[np.int64]

MOST_SETS = 500
"""The most sets of cards of one worker that are compared: all sets of one size among ten cards are at most 252."""

ORDER_CARDS = 1024
"""`fit_order` of a partly offloaded model is layers left behind × this + cards."""


def layers_of(ask: Ask) -> Layers:
    """The layers of an ask that takes cards by them."""
    assert ask.layers is not None  # noqa: S101 (what LAYERS means)
    return ask.layers


def layer_fits(ask: Ask, room: Numbers) -> tuple[Numbers, Numbers]:
    """For each row the number of cards, and its place in the order; -1 where the layers do not fit.

    Fewer layers left behind come first, then fewer cards.
    """
    layers = layers_of(ask)
    largest = -np.sort(-layers.rooms_for(room), axis=1)  # descending; NumPy sorts only upwards
    held, taken = largest.cumsum(1), largest > 0
    if layers.cards is not None:
        return _on_cards(layers.cards, held >= layers.count, taken)
    enough = (held >= layers.count) & taken
    shape = np.where(enough.any(1), enough.argmax(1) + 1, -1)  # argmax: the smallest number of cards that is enough
    if not layers.partial:
        return shape, shape
    some = (shape < 0) & taken[:, 0]
    cards = taken.sum(1)
    order = np.where(some, (layers.count - held[:, -1]) * ORDER_CARDS + cards, shape)
    return np.where(some, cards, shape), order


def _on_cards(cards: int, enough: npt.NDArray[np.bool_], taken: npt.NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """The same on a number of cards that was asked for, the largest of each row."""
    if cards > enough.shape[1]:
        shape = np.full(len(enough), -1)
    else:
        shape = np.where(enough[:, cards - 1] & taken[:, cards - 1], cards, -1)
    return shape, shape


def choose(layers: Layers, free_mib: Sequence[int], cards: int) -> list[int]:
    """Which `cards` of these cards (0 free: not to be used) take the layers: those with the least free memory that do.

    On workers with more sets of cards than `MOST_SETS` the tightest run of cards in the order of size is taken, then
    its smallest is exchanged for a still smaller one where that is enough.
    """
    return choose_by_room(layers, free_mib, [layers.room_for(free) for free in free_mib], cards)


def choose_by_room(layers: Layers, free_mib: Sequence[int], room: Sequence[int], cards: int) -> list[int]:
    """The same where it is known how many layers each card has room for."""
    order = sorted((place for place, most in enumerate(room) if most), key=lambda place: (free_mib[place], place))
    wanted = min(layers.count, sum(sorted(room, reverse=True)[:cards]))
    if cards == 1:
        return [next(place for place in order if room[place] >= wanted)]
    if comb(len(order), cards) <= MOST_SETS:
        return _least_free(order, room, free_mib, cards, wanted)
    return _tightest_run(order, room, cards, wanted)


def _least_free(
    order: Sequence[int], room: Sequence[int], free_mib: Sequence[int], cards: int, wanted: int
) -> list[int]:
    sets = np.array(order, np.intp)[sets_of(len(order), cards)]
    enough = np.array(room)[sets].sum(1) >= wanted
    free = np.where(enough, np.array(free_mib)[sets].sum(1), np.iinfo(np.int64).max)
    return sorted(sets[int(free.argmin())].tolist())


@lru_cache(maxsize=256)
def sets_of(cards: int, chosen: int) -> npt.NDArray[np.intp]:
    """All sets of that number of these cards, as positions."""
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
    if len(room) == 1:
        return [total]
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
