"""The blocks that endpoints hold by their own word, in GPU memory or in CPU memory.

For each block two sets of endpoints are kept as the bits of a number, so that one walk over a prompt's blocks matches
all endpoints at once. What engines call a block is kept too: they remove blocks by these names.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bayplan.routing.endpoints.kv_event import BlockHash
    from bayplan.routing.prefix.block_hashes import Chain

GPU: Final = 0
CPU: Final = 1
"""Media, by their place in `Holders`. Whatever is slower than GPU memory counts as CPU memory."""

CPU_WORTH: Final = 0.8
"""What a matched block in CPU memory counts; one in GPU memory counts 1."""


class Holders(NamedTuple):
    """The endpoints that hold a block, by medium: bits of a number."""

    gpu: int
    cpu: int


NO_HOLDERS: Final = Holders(0, 0)


class NamedBlock(NamedTuple):
    """A block that an engine has a name for: its hash, and its place in its prompt."""

    hash: int
    place: int


class EventEndpoint:
    """One endpoint: its bit, the blocks that it holds on each medium, and its own names of blocks."""

    __slots__ = ("bit", "blocks", "names")

    def __init__(self, bit: int) -> None:
        self.bit = bit
        self.blocks: tuple[set[int], set[int]] = (set(), set())
        self.names: dict[BlockHash, NamedBlock] = {}


class EventIndex:
    """What all endpoints hold. Guesses are blocks that an endpoint is taken to hold until a certain time."""

    def __init__(self) -> None:
        self._endpoints: dict[str, EventEndpoint] = {}
        self._names: dict[int, str] = {}  # endpoints by bit
        self._holders: dict[int, Holders] = {}
        self._guesses: dict[int, dict[int, float]] = {}  # by block and bit, until when
        self._guessed: deque[tuple[float, int, Chain]] = deque()

    def endpoint(self, name: str) -> EventEndpoint:
        """What is kept of an endpoint, which is known from now on."""
        found = self._endpoints.get(name)
        if found is None:
            bit = 1
            while bit in self._names:  # the first bit that no endpoint has
                bit <<= 1
            found = self._endpoints[name] = EventEndpoint(bit)
            self._names[bit] = name
        return found

    def holds(self, name: str, block: int) -> bool:
        """Whether an endpoint told that it holds a block, on whatever medium."""
        endpoint = self._endpoints.get(name)
        return endpoint is not None and any(block in held for held in endpoint.blocks)

    def store(self, name: str, hashes: Iterable[int], medium: int) -> None:
        """The endpoint holds these blocks on this medium."""
        endpoint = self.endpoint(name)
        held = endpoint.blocks[medium]
        for block in hashes:
            if block not in held:
                held.add(block)
                self._set(block, medium, self._holders.get(block, NO_HOLDERS)[medium] | endpoint.bit)

    def remove(self, name: str, hashes: Iterable[int], medium: int) -> None:
        """The endpoint no longer holds these blocks on this medium."""
        endpoint = self.endpoint(name)
        held = endpoint.blocks[medium]
        for block in hashes:
            if block in held:
                held.remove(block)
                self._set(block, medium, self._holders[block][medium] & ~endpoint.bit)

    def remove_named(self, name: str, names: Iterable[BlockHash], medium: int) -> None:
        """The same for blocks by the engine's names; a name is kept as long as the block is held anywhere."""
        endpoint = self.endpoint(name)
        for each in names:
            block = endpoint.names.get(each)
            if block is not None:
                self.remove(name, (block.hash,), medium)
                if not any(block.hash in held for held in endpoint.blocks):
                    del endpoint.names[each]

    def forget(self, name: str) -> None:
        """The endpoint holds nothing, and has no names of blocks."""
        endpoint = self._endpoints.get(name)
        if endpoint is None:
            return
        for medium in (GPU, CPU):
            self.remove(name, list(endpoint.blocks[medium]), medium)
        for bits in self._guesses.values():
            bits.pop(endpoint.bit, None)
        del self._endpoints[name], self._names[endpoint.bit]

    def guess(self, name: str, chain: Chain, now: float, until_s: float) -> None:
        """The endpoint is taken to hold a prompt's blocks for a while."""
        while self._guessed and self._guessed[0][0] < now:
            self._drop_guess(*self._guessed.popleft())
        bit = self.endpoint(name).bit
        for block in chain.hashes:
            self._guesses.setdefault(block, {})[bit] = until_s
        self._guessed.append((until_s, bit, chain))

    def matched(self, chain: Chain, now: float) -> dict[str, float]:
        """What the blocks of a prompt count that each endpoint holds from the first on; others hold none."""
        alive = sum(self._names)
        found: dict[str, float] = {}
        slow: dict[int, int] = {}  # by bit, how many of the blocks are in CPU memory only
        holders_of, guesses = self._holders.get, self._guesses
        for place, block in enumerate(chain.hashes):
            gpu, cpu = holders_of(block, NO_HOLDERS)
            if guesses:
                gpu |= self._guessed_bits(block, now)
            left = alive & (gpu | cpu)
            if left != alive:
                self._note(alive & ~left, place, slow, found)
                alive = left
                if not alive:
                    return found
            if left & gpu != left:
                for bit in _bits(left & ~gpu):
                    slow[bit] = slow.get(bit, 0) + 1
        self._note(alive, chain.size, slow, found)
        return found

    def _note(self, bits: int, place: int, slow: dict[int, int], found: dict[str, float]) -> None:
        if place:
            for bit in _bits(bits):
                found[self._names[bit]] = place - (1.0 - CPU_WORTH) * slow[bit] if bit in slow else place

    def _set(self, block: int, medium: int, bits: int) -> None:
        gpu, cpu = self._holders.get(block, NO_HOLDERS)
        holders = Holders(bits, cpu) if medium == GPU else Holders(gpu, bits)
        if holders == NO_HOLDERS:
            self._holders.pop(block, None)
        else:
            self._holders[block] = holders

    def _guessed_bits(self, block: int, now: float) -> int:
        guesses = self._guesses.get(block)
        return sum(bit for bit, until_s in guesses.items() if until_s >= now) if guesses else 0

    def _drop_guess(self, until_s: float, bit: int, chain: Chain) -> None:
        for block in chain.hashes:
            guesses = self._guesses.get(block, {})
            if guesses.get(bit, until_s) <= until_s:
                guesses.pop(bit, None)
            if not guesses:
                self._guesses.pop(block, None)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low
        mask ^= low
