"""Which blocks of prompts one engine is believed to hold."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


class BlockMemory:
    """The blocks of an engine, least recently used first to go.

    A block stands for the whole prompt up to its end. Blocks of a prompt are added last block first, so the front of a
    prompt is always newer than its rest and goes last: what is here of a prompt has no gap. `match` relies on that.
    """

    __slots__ = ("_blocks", "capacity")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._blocks: OrderedDict[Hashable, None] = OrderedDict()

    def __contains__(self, block: Hashable) -> bool:
        return block in self._blocks

    def __len__(self) -> int:
        return len(self._blocks)

    def match(self, blocks: Sequence[Hashable]) -> int:
        """How many blocks at the beginning of a prompt are here."""
        here, below, above = self._blocks, 0, len(blocks)
        while below < above:
            middle = (below + above) // 2
            if blocks[middle] in here:
                below = middle + 1
            else:
                above = middle
        return below

    def add(self, blocks: Sequence[Hashable]) -> None:
        """A prompt was sent to the engine."""
        here = self._blocks
        for block in reversed(blocks):
            here[block] = None
            here.move_to_end(block)
        self._shrink()

    def resize(self, capacity: int) -> None:
        """The engine holds so many blocks."""
        if capacity != self.capacity:
            self.capacity = capacity
            self._shrink()

    def _shrink(self) -> None:
        for _ in range(len(self._blocks) - self.capacity):
            self._blocks.popitem(last=False)
