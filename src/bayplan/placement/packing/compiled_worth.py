"""The same as `worth`, compiled: one row after the other, and states that were seen before are looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from bayplan.placement.packing.demand import NEVER_MILLI, WHOLE_MILLI
from bayplan.placement.packing.outlook import FINE

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.placement.packing.outlook import Outlook
    from bayplan.placement.packing.room_left import Room

    Numbers = npt.NDArray[np.int64]

_REMEMBERED = 1 << 17
_NO_CPU = 1 << 50


class CompiledWorth:
    """Works out worths under one outlook; what it remembers is a cache and changes no answer."""

    def __init__(self, outlook: Outlook) -> None:
        self._unchanging = (
            outlook.need_milli, outlook.cpu_milli, outlook.ram_mib, outlook.cards, outlook.futures,
            *_tails(outlook.need_milli, outlook.cpu_milli, outlook.cards, outlook.futures),
            np.flatnonzero(outlook.price), outlook.price, outlook.scarcity,
        )  # fmt: skip
        self._keys = np.zeros(_REMEMBERED, np.uint64)
        self._values = np.zeros(_REMEMBERED, np.int64)

    def worths(self, kinds: Numbers, room: Room) -> Numbers:
        """As the function of that name."""
        found: Numbers = _worths(*self._unchanging, self._keys, self._values, kinds, *room)
        return found


@numba.njit(cache=True)
def _tails(need: Any, cpu: Any, cards: Any, futures: Any) -> Any:  # pragma: no cover (compiled)
    """Of each place in a future the least that a demand from there on needs of a card, and of CPU."""
    kinds, (samples, length) = len(need), futures.shape
    least_milli = np.empty((kinds, samples, length), np.int64)
    least_cpu = np.empty((kinds, samples, length), np.int64)
    for kind in range(kinds):
        for sample in range(samples):
            milli, cores = NEVER_MILLI, _NO_CPU
            for place in range(length - 1, -1, -1):
                demand = futures[sample, place]
                if cards[demand] > 0 and need[kind, demand] <= WHOLE_MILLI:
                    milli, cores = min(milli, need[kind, demand]), min(cores, cpu[demand])
                least_milli[kind, sample, place], least_cpu[kind, sample, place] = milli, cores
    return least_milli, least_cpu


@numba.njit(cache=True)
def _worths(
    need: Any, cpu: Any, ram: Any, cards: Any, futures: Any, least_milli: Any, least_cpu: Any,
    priced: Any, price: Any, scarcity: Any, keys: Any, values: Any,
    kinds: Any, cpu_free: Any, ram_free: Any, milli: Any,
) -> Any:  # fmt: skip  # pragma: no cover (compiled)
    found = np.empty(len(kinds), np.int64)
    left = np.empty(milli.shape[1], np.int64)
    for row in range(len(kinds)):
        kind, free = kinds[row], milli[row]
        key = _key(kind, cpu_free[row], ram_free[row], free)
        slot = key % np.uint64(len(keys))
        if keys[slot] != key:
            lost = _waste(
                need[kind], cpu, ram, cards, futures, least_milli[kind], least_cpu[kind],
                cpu_free[row], ram_free[row], free, left,
            )  # fmt: skip
            worth = scarcity[kind] * free.sum() - lost * FINE
            for number in priced:
                worth += price[number] * _places(
                    need[kind, number], cpu[number], ram[number], cards[number], cpu_free[row], ram_free[row], free
                )
            keys[slot], values[slot] = key, worth
        found[row] = values[slot]
    return found


@numba.njit(cache=True)
def _key(kind: Any, cpu_free: Any, ram_free: Any, free: Any) -> Any:  # pragma: no cover (compiled)
    mixed = np.uint64(kind) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x2545F4914F6CDD1D)
    mixed = _stir(_stir(mixed, np.uint64(cpu_free)), np.uint64(ram_free))
    for amount in free:
        mixed = _stir(mixed, np.uint64(amount))
    return mixed | np.uint64(1)


@numba.njit(cache=True)
def _stir(mixed: Any, amount: Any) -> Any:  # pragma: no cover (compiled)
    mixed = (mixed ^ amount) * np.uint64(0xFF51AFD7ED558CCD)
    return mixed ^ (mixed >> np.uint64(29))


@numba.njit(cache=True)
def _places(
    need: Any, cpu: Any, ram: Any, cards: Any, cpu_free: Any, ram_free: Any, free: Any
) -> Any:  # pragma: no cover (compiled)
    """How many of a demand the row holds."""
    count = 0
    for amount in free:
        if amount >= need:
            count += 1
    count //= cards
    if count and cpu:
        count = min(count, cpu_free // cpu)
    if count and ram:
        count = min(count, ram_free // ram)
    return count


@numba.njit(cache=True)
def _waste(
    need: Any, cpu: Any, ram: Any, cards: Any, futures: Any, least_milli: Any, least_cpu: Any,
    cpu_free: Any, ram_free: Any, free: Any, left: Any,
) -> Any:  # fmt: skip  # pragma: no cover (compiled)
    width, whole = len(free), free.sum()
    if whole == 0:
        return 0
    lost = 0
    for sample in range(len(futures)):
        cores, memory, idle, top = cpu_free, ram_free, whole, 0
        for card in range(width):
            left[card] = free[card]
            top = max(top, free[card])
        for place in range(futures.shape[1]):
            if top < least_milli[sample, place] or cores < least_cpu[sample, place]:
                break
            demand = futures[sample, place]
            milli, number = need[demand], cards[demand]
            if cpu[demand] > cores or ram[demand] > memory or milli > WHOLE_MILLI:
                continue
            if number > 0 and (milli > top or not _take(left, width, number, milli)):
                continue
            cores, memory, idle = cores - cpu[demand], memory - ram[demand], idle - number * milli
            if number > 0:
                top = 0
                for card in range(width):
                    top = max(top, left[card])
        lost += idle
    return lost


@numba.njit(cache=True)
def _take(left: Any, width: Any, number: Any, milli: Any) -> Any:  # pragma: no cover (compiled)
    """Take so much of each of so many cards, the fullest that suffice; False where there are too few."""
    if number > 1:
        count = 0
        for place in range(width):
            if left[place] >= milli:
                count += 1
        if count < number:
            return False
    for _ in range(number):
        card = _fullest(left, width, milli)
        if card < 0:
            return False
        left[card] = milli - left[card] - 1  # below 0: taken, and not to be taken twice
    for place in range(width):
        if left[place] < 0:
            left[place] = -1 - left[place]
    return True


@numba.njit(cache=True)
def _fullest(left: Any, width: Any, milli: Any) -> Any:  # pragma: no cover (compiled)
    best, card = NEVER_MILLI, -1
    for place in range(width):
        if milli <= left[place] < best:
            best, card = left[place], place
    return card
