"""A cache without limits that all engines share: no policy can do better than with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.sim.engine.batching.block_pool import BlockPool

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.sim.engine.batching.block_pool import Hash


class SharedCachePool(BlockPool):
    """The blocks of an engine that finds every block any engine ever computed.

    Blocks that requests use now take room as usual, each once; what nobody uses takes none.
    """

    __slots__ = ("_computed",)

    def __init__(self, capacity: int, computed: set[Hash]) -> None:
        super().__init__(capacity)
        self._computed = computed

    def match(self, hashes: Sequence[Hash]) -> int:
        for number, block in enumerate(hashes):
            if block not in self._computed:
                return number
        return len(hashes)

    def count_kept(self, hashes: Iterable[Hash]) -> int:
        """Blocks that are found and not yet here: pinning them takes room."""
        return sum(block not in self._pins for block in hashes)

    def pin(self, hashes: Iterable[Hash]) -> None:
        pins = self._pins
        for block in hashes:
            pins[block] = pins.get(block, 0) + 1

    def take(self, blocks: int) -> None:
        self.private += blocks

    def publish(self, hashes: Iterable[Hash]) -> None:
        pins = self._pins
        for block in hashes:
            self.private -= 1
            pins[block] = pins.get(block, 0) + 1
            self._computed.add(block)

    def give_back(self, hashes: Sequence[Hash], private: int) -> None:
        self.private -= private
        pins = self._pins
        for block in hashes:
            if pins[block] == 1:
                del pins[block]
            else:
                pins[block] -= 1
