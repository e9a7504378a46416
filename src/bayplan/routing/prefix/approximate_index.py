"""The blocks that one endpoint is taken to hold: an LRU of what was sent to it, kept as runs of blocks.

A request touches its blocks from the last to the first, so a block is never older than the blocks behind it. Hence a
prompt's blocks fall into runs that were last touched by the same request, and an endpoint holds a prompt from its first
block on without a gap. Runs are few where blocks are thousands: to add a request or to match one costs a few steps for
each run on its way, not for each block. Nothing else tells it from an LRU of single blocks.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.routing.prefix.block_hashes import Chain


class BlockRun:
    """Blocks of one prompt from place `start` to before `end`, all last touched by one request at `touched_s`."""

    __slots__ = ("end", "hashes", "kept", "start", "touch", "touched_s")

    def __init__(self, hashes: Sequence[int], end: int, touch: int, touched_s: float) -> None:
        self.hashes = hashes
        self.start = 0
        self.end = end
        self.touch = touch  # the number of the request
        self.touched_s = touched_s
        self.kept = end  # how many hashes are held in memory

    @property
    def head(self) -> int:
        return self.hashes[0]

    def common(self, chain: Chain) -> int:
        """Up to which place a prompt has the same blocks; its block at `start` is known to be the same."""
        other, size = chain
        last = min(self.end, size)
        hashes, start = self.hashes, self.start
        if hashes[last - 1 - start] == other[last - 1]:
            return last
        low, high = start + 1, last - 1  # equal hashes mean that all blocks before are equal too
        while low < high:
            middle = (low + high) // 2
            if hashes[middle - start] == other[middle]:
                low = middle + 1
            else:
                high = middle
        return low

    def cut(self, start: int) -> None:
        """Give the blocks before `start` away."""
        self.hashes = self.hashes[start - self.start :]
        self.start = start
        if 2 * len(self.hashes) < self.kept:  # a slice of a memoryview holds on to the whole
            self.hashes = array("Q", self.hashes)
            self.kept = len(self.hashes)


class ApproximateIndex:
    """What one endpoint holds. Runs are in the order in which they were touched, the oldest first."""

    __slots__ = ("_by_head", "_runs", "_touches", "block_size", "capacity", "size")

    def __init__(self, block_size: int, capacity: int) -> None:
        """`capacity` in blocks."""
        self.block_size = block_size
        self.capacity = capacity
        self.size = 0
        self._by_head: dict[int, BlockRun] = {}
        self._runs: dict[int, BlockRun] = {}
        self._touches = 0

    def matched(self, chain: Chain, oldest_s: float | None = None) -> int:
        """How many blocks of a prompt are held from the first on, touched at `oldest_s` or later."""
        hashes, size = chain
        place, by_head = 0, self._by_head
        while place < size:
            run = by_head.get(hashes[place])
            if run is None or run.start != place or (oldest_s is not None and run.touched_s < oldest_s):
                break
            place = run.common(chain)
        return place

    def add(self, chain: Chain, now: float) -> None:
        """Touch a prompt's blocks, the last one first; beyond the capacity the oldest go."""
        hashes, size = chain
        if not size:
            return
        self._touches += 1
        run = self._by_head.get(hashes[0])
        if run is not None and run.end == size and not run.start and run.hashes[size - 1] == hashes[size - 1]:
            del self._runs[run.touch]  # the same prompt again: all that changes is its place in the order
            run.touch, run.touched_s = self._touches, now
            self._runs[run.touch] = run
            return
        self.size += size - self._take(chain)
        run = BlockRun(hashes, size, self._touches, now)
        self._by_head[hashes[0]] = self._runs[run.touch] = run
        if self.size > self.capacity:
            self.shrink(self.capacity)

    def shrink(self, capacity: int) -> None:
        """Hold no more than `capacity` blocks from now on."""
        self.capacity = capacity
        while self.size > capacity:
            run = next(iter(self._runs.values()))
            surplus, length = self.size - capacity, run.end - run.start
            if surplus >= length:
                del self._runs[run.touch], self._by_head[run.head]
            else:
                run.end -= surplus
            self.size -= min(surplus, length)

    def _take(self, chain: Chain) -> int:
        """Take a prompt's blocks out of the runs that hold them; how many there were."""
        place = 0
        while place < chain.size:
            run = self._by_head.get(chain.hashes[place])
            if run is None or run.start != place:
                break
            del self._by_head[run.head]
            place = run.common(chain)
            if place == run.end:
                del self._runs[run.touch]
            else:
                run.cut(place)
                self._by_head[run.head] = run
        return place
