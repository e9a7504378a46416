"""The same as `worth`, compiled: one row after the other, and states that were seen before are looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from bayplan.placement.packing.demand import NEVER_MILLI, WHOLE_MILLI
from bayplan.placement.packing.outlook import FINE, LOST_CARDS
from bayplan.placement.packing.room_left import BOUNDLESS

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.placement.cards.rows import WorkerRows
    from bayplan.placement.packing.demand import PackingDemand
    from bayplan.placement.packing.outlook import Outlook

    Numbers = npt.NDArray[np.int64]

_REMEMBERED = 1 << 17
"""Places of the cache: four arrays of this length are 4 MiB."""

_MOST = (1 << 31) - 1
"""A demand for more CPU or RAM than this fits nowhere: amounts are packed into 31 bits."""


class CompiledWorth:
    """Works out gains under one outlook; what it remembers is a cache and changes no answer."""

    def __init__(self, outlook: Outlook) -> None:
        self._unchanging = (
            outlook.need_milli, outlook.cpu_milli, outlook.ram_mib, outlook.cards,
            *_packed(outlook.future_milli, outlook.cpu_milli, outlook.ram_mib, outlook.cards, outlook.futures),
        )  # fmt: skip
        self._prices = (outlook.steps, np.flatnonzero(outlook.price), outlook.price, outlook.scarcity)
        self._workers = (outlook.uids, outlook.kinds)
        self._lost = -LOST_CARDS * outlook.unit
        self._known = tuple(np.zeros(_REMEMBERED, kind) for kind in (np.uint64, np.int64, np.uint64, np.int64))

    def gains(self, demand: PackingDemand, rows: WorkerRows) -> Numbers:
        """What the future wins on each row, in the outlook's unit."""
        found: Numbers = _gains(
            self._unchanging, self._prices, self._known, self._lost, *self._workers, rows.uid_hash,
            rows.cpu_free_milli, rows.ram_free_mib, rows.card_free_milli, rows.card_share_free_mib,
            rows.card_memory_mib, rows.card_shareable, rows.card_wholly_free, *demand[:5],
        )  # fmt: skip
        return found


@numba.njit(cache=True)
def _gains(
    unchanging: Any, prices: Any, known: Any, lost: Any, uids: Any, kinds: Any, uid_hash: Any, cpu_free: Any,
    ram_free: Any, free_milli: Any, share_mib: Any, memory_mib: Any, shareable: Any, wholly_free: Any,
    asked_cpu: Any, asked_ram: Any, asked_cards: Any, asked_milli: Any, asked_mib: Any,
) -> Any:  # fmt: skip  # pragma: no cover (compiled)
    size, width = free_milli.shape
    found = np.empty(size, np.int64)
    left, after = np.empty(width, np.int64), np.empty(width, np.int64)
    spare = np.empty((2, width), np.int64)
    for row in range(size):
        kind = 0
        if len(uids):
            place = min(np.searchsorted(uids, uid_hash[row]), len(uids) - 1)
            if uids[place] == uid_hash[row]:
                kind = kinds[place]
        cores = cpu_free[row] if cpu_free[row] >= 0 else BOUNDLESS
        memory = ram_free[row] if ram_free[row] >= 0 else BOUNDLESS
        largest = _free_milli(left, free_milli[row], share_mib[row], memory_mib[row], shareable[row], wholly_free[row])
        _sort(left)
        after[:] = left
        milli = max(asked_milli, 1)
        if largest > 0:
            milli = max(milli, min(NEVER_MILLI, -(-WHOLE_MILLI * asked_mib // largest)))
        cores_after, memory_after = cores - asked_cpu, memory - asked_ram
        if cores_after < 0 or memory_after < 0 or not _take(after, 0, asked_cards, milli):
            found[row] = lost
            continue
        wasted = _remembered(unchanging, known, kind, cores_after, memory_after, after, spare)
        wasted -= _ahead(unchanging, prices[0], known, kind, cores, memory, left, spare)
        scarce = prices[3][kind]
        found[row] = (
            _room(unchanging, prices, kind, cores_after, memory_after, after)
            - _room(unchanging, prices, kind, cores, memory, left)
            + scarce * unchanging[5].shape[1] * (after.sum() - left.sum())
            - wasted * (FINE + scarce)
        )
    return found


@numba.njit(cache=True)
def _free_milli(
    left: Any, free_milli: Any, share_mib: Any, memory_mib: Any, shareable: Any, wholly_free: Any
) -> Any:  # pragma: no cover (compiled)
    """Write what is free of each card as `room_left` says it; the size of the largest."""
    largest = 0
    for card in range(len(left)):
        size = memory_mib[card]
        largest = max(largest, size)
        left[card] = 0
        if wholly_free[card]:
            left[card] = WHOLE_MILLI
        elif shareable[card]:
            left[card] = free_milli[card]
            if size > 0:
                left[card] = min(left[card], max(0, share_mib[card]) * WHOLE_MILLI // size)
    return largest


@numba.njit(cache=True)
def _remembered(
    unchanging: Any, known: Any, kind: Any, cores: Any, memory: Any, free: Any, spare: Any
) -> Any:  # pragma: no cover (compiled)
    """`wastes` of one row, looked up where it was worked out before."""
    keys, values = known[0], known[1]
    key = _key(kind, cores, memory, free)
    slot = key % np.uint64(len(keys))
    if keys[slot] != key:
        values[slot] = _waste(unchanging, kind, cores, memory, free, spare[0])
        keys[slot] = key
    return values[slot]


@numba.njit(cache=True)
def _ahead(
    unchanging: Any, steps: Any, known: Any, kind: Any, cores: Any, memory: Any, free: Any, spare: Any
) -> Any:  # pragma: no cover (compiled)
    """`wastes_ahead` of one row."""
    need, cpu, ram, cards = unchanging[0], unchanging[1], unchanging[2], unchanging[3]
    keys, values = known[2], known[3]
    key = _key(kind, cores, memory, free)
    slot = key % np.uint64(len(keys))
    if keys[slot] == key:
        return values[slot]
    total, count, after = 0, 0, spare[1]
    for step in steps:
        if cpu[step] > cores or ram[step] > memory or need[kind, step] > WHOLE_MILLI:
            continue
        after[:] = free
        if _take(after, 0, cards[step], need[kind, step]):
            total += _remembered(unchanging, known, kind, cores - cpu[step], memory - ram[step], after, spare)
            count += 1
    if count == 0:
        total, count = _remembered(unchanging, known, kind, cores, memory, free, spare), 1
    keys[slot], values[slot] = key, total // count
    return total // count


@numba.njit(cache=True)
def _room(
    unchanging: Any, prices: Any, kind: Any, cores: Any, memory: Any, free: Any
) -> Any:  # pragma: no cover (compiled)
    """`class_worths` of one row."""
    need, cpu, ram, cards = unchanging[0], unchanging[1], unchanging[2], unchanging[3]
    worth = 0
    for number in prices[1]:
        count = 0
        for amount in free:
            if amount >= need[kind, number]:
                count += 1
        count //= cards[number]
        if count and cpu[number]:
            count = min(count, cores // cpu[number])
        if count and ram[number]:
            count = min(count, memory // ram[number])
        worth += prices[2][number] * count
    return worth


@numba.njit(cache=True)
def _packed(future_milli: Any, cpu: Any, ram: Any, cards: Any, futures: Any) -> Any:  # pragma: no cover (compiled)
    """For each kind and future the demands that fit the kind, in order, and how many there are.

    What each needs of a card, of CPU, of RAM, and of how many cards; and the least that this and later ones need of
    a card and of CPU. Beside each other and small, because nothing is read as often.
    """
    kinds, samples, length = future_milli.shape
    coming, counts = np.zeros((kinds, samples, length, 6), np.int32), np.zeros((kinds, samples), np.int64)
    for kind in range(kinds):
        for sample in range(samples):
            count = 0
            for place in range(length):
                need, demand = future_milli[kind, sample, place], futures[sample, place]
                if need <= WHOLE_MILLI and cpu[demand] < _MOST and ram[demand] < _MOST:
                    line = coming[kind, sample, count]
                    line[0], line[1], line[2], line[3] = need, cpu[demand], ram[demand], cards[demand]
                    count += 1
            counts[kind, sample] = count
            milli, cores = NEVER_MILLI, _MOST
            for place in range(count - 1, -1, -1):
                line = coming[kind, sample, place]
                if line[3] > 0:
                    milli, cores = min(milli, line[0]), min(cores, line[1])
                line[4], line[5] = milli, cores
    return coming, counts


@numba.njit(cache=True)
def _key(kind: Any, cpu_free: Any, ram_free: Any, free: Any) -> Any:  # pragma: no cover (compiled)
    # Constants of known mixers: 2**64 over the golden ratio, and that of xorshift64*.
    mixed = np.uint64(kind) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x2545F4914F6CDD1D)
    mixed = _stir(_stir(mixed, np.uint64(cpu_free)), np.uint64(ram_free))
    for amount in free:
        mixed = _stir(mixed, np.uint64(amount))
    return mixed | np.uint64(1)  # never 0, which marks an empty place of the cache


@numba.njit(cache=True)
def _stir(mixed: Any, amount: Any) -> Any:  # pragma: no cover (compiled)
    mixed = (mixed ^ amount) * np.uint64(0xFF51AFD7ED558CCD)  # a constant of MurmurHash3
    return mixed ^ (mixed >> np.uint64(29))


@numba.njit(cache=True)
def _waste(
    unchanging: Any, kind: Any, cpu_free: Any, ram_free: Any, free: Any, left: Any
) -> Any:  # pragma: no cover (compiled)
    whole, last = free.sum(), len(free) - 1
    if whole == 0:
        return 0
    begin = 0
    while free[begin] == 0:
        begin += 1
    lost, counts = 0, unchanging[5][kind]
    for sample in range(len(counts)):
        coming = unchanging[4][kind, sample]
        cores, memory, idle = cpu_free, ram_free, whole
        for card in range(begin, last + 1):
            left[card] = free[card]
        for place in range(counts[sample]):
            line = coming[place]
            if left[last] < line[4] or cores < line[5]:  # no demand that is still to come can take a card
                break
            milli, number = line[0], line[3]
            if line[1] > cores or line[2] > memory:
                continue
            if number > 0:
                if milli > left[last] or not _take(left, begin, number, milli):
                    continue
                idle -= number * milli
            cores, memory = cores - line[1], memory - line[2]
        lost += idle
    return lost


@numba.njit(cache=True)
def _take(left: Any, begin: Any, number: Any, milli: Any) -> Any:  # pragma: no cover (compiled)
    """Take an amount of each of several cards, the fullest that suffice; False where there are too few.

    What is left stands in order from `begin` on, before and after.
    """
    if number == 0:
        return True
    card = begin
    while card < len(left) and left[card] < milli:
        card += 1
    if card + number > len(left):
        return False
    for each in range(card, card + number):
        less, place = left[each] - milli, each
        while place > begin and left[place - 1] > less:
            left[place] = left[place - 1]
            place -= 1
        left[place] = less
    return True


@numba.njit(cache=True)
def _sort(left: Any) -> Any:  # pragma: no cover (compiled)
    for each in range(1, len(left)):  # insertion sort: workers have few cards, often in order already
        amount, place = left[each], each
        while place > 0 and left[place - 1] > amount:
            left[place] = left[place - 1]
            place -= 1
        left[place] = amount
