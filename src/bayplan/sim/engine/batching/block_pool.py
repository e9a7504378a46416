"""The KV blocks of an engine: which are in use, and which are kept in case a prompt begins like an earlier one."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    Hash: TypeAlias = Hashable


class BlockPool:
    """Counts blocks and remembers the hashes of those that hold a full block of a prompt.

    A block is in one of four states: *free*; *private* to one request (its output, and prompt tokens not computed yet);
    *pinned*, which holds a hash and is used by at least one request; *kept*, which holds a hash and is used by none.
    Kept blocks are given away, least recently used first, when no block is free. A hash stands for a whole prefix, so
    a hit counts only while all blocks before it are hits too.
    """

    __slots__ = ("_kept", "_pins", "capacity", "private")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.private = 0
        self._pins: dict[Hash, int] = {}
        self._kept: OrderedDict[Hash, None] = OrderedDict()

    @property
    def free(self) -> int:
        """Blocks that hold nothing."""
        return self.capacity - self.private - len(self._pins) - len(self._kept)

    @property
    def available(self) -> int:
        """Blocks that a request can get: free ones and kept ones."""
        return self.capacity - self.private - len(self._pins)

    @property
    def in_use(self) -> int:
        """Blocks that requests use now, each counted once."""
        return self.private + len(self._pins)

    @property
    def pinned(self) -> int:
        """Blocks with a hash that requests use now."""
        return len(self._pins)

    @property
    def kept(self) -> int:
        """Blocks that no request uses and that a prompt can still hit."""
        return len(self._kept)

    def match(self, hashes: Sequence[Hash]) -> int:
        """How many blocks at the beginning of a prompt are here."""
        pins, kept = self._pins, self._kept
        for number, block in enumerate(hashes):
            if block not in pins and block not in kept:
                return number
        return len(hashes)

    def count_kept(self, hashes: Iterable[Hash]) -> int:
        """How many of these blocks are kept and unused: pinning them leaves so many fewer available."""
        kept = self._kept
        return sum(block in kept for block in hashes)

    def pin(self, hashes: Iterable[Hash]) -> None:
        """Use blocks that `match` found."""
        pins, kept = self._pins, self._kept
        for block in hashes:
            if block in pins:
                pins[block] += 1
            else:
                del kept[block]
                pins[block] = 1

    def take(self, blocks: int) -> None:
        """Give blocks to a request; the caller has seen that so many are available."""
        self.private += blocks
        for _ in range(-self.free):
            self._kept.popitem(last=False)

    def publish(self, hashes: Iterable[Hash]) -> None:
        """Turn private blocks of a request, now computed, into pinned ones that others can hit.

        Where another request has computed the same block meanwhile, that one is shared and the private one is free.
        """
        pins, kept = self._pins, self._kept
        for block in hashes:
            self.private -= 1
            if block in pins:
                pins[block] += 1
            else:
                kept.pop(block, None)
                pins[block] = 1

    def give_back(self, hashes: Sequence[Hash], private: int) -> None:
        """End a request's use of its blocks. The end of a prompt is forgotten before its beginning."""
        self.private -= private
        pins, kept = self._pins, self._kept
        for block in reversed(hashes):
            if pins[block] == 1:
                del pins[block]
                kept[block] = None
            else:
                pins[block] -= 1
