"""Dynamo's formula: blocks to compute, waiting ones included, plus blocks in use."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bayplan.routing.prefix.approximate_index import ApproximateIndex
from bayplan.routing.prefix.block_hashes import Chain
from bayplan.sim.routing.pickers.immediate import Immediate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.trace import TraceRequest


class Dynamo(Immediate):
    """Costs uncached blocks of the request, uncached blocks sent before it, and active blocks with the request's own.

    Blocks that several active requests share count once.
    """

    name = "dynamo"

    def __init__(self, engines: int, blocks: int, block_tokens: int, seed: int = 0) -> None:
        super().__init__(engines, seed)
        self._blocks = blocks
        self._block_tokens = block_tokens
        self._indexes = [ApproximateIndex(block_tokens, blocks) for _ in range(engines)]
        self._pending: Counter[int] = Counter()
        self._active: list[Counter[int]] = [Counter() for _ in range(engines)]
        self._uncached: dict[str, int] = {}

    def costs(self, request: TraceRequest, live: Sequence[int], now: float) -> list[float]:
        blocks, size = request.blocks, self._block_tokens
        found: list[float] = []
        for engine in live:
            active = self._active[engine]
            own = self._uncached_tokens(request, engine)
            new = sum(block not in active for block in blocks)
            found.append((self._pending[engine] + own) / size + len(active) + new)
        return found

    def sent(self, request: TraceRequest, engine: int) -> None:
        own = self._uncached_tokens(request, engine)
        self._uncached[request.id] = own
        self._pending[engine] += own
        self._active[engine].update(request.blocks)
        self._indexes[engine].add(_chain(request), 0.0)

    def computed(self, request: TraceRequest, engine: int) -> None:
        self._pending[engine] -= self._uncached.pop(request.id)

    def ended(self, request: TraceRequest, engine: int) -> None:
        active = self._active[engine]
        for block in request.blocks:
            active[block] -= 1
            if not active[block]:
                del active[block]

    def forgotten(self, engine: int) -> None:
        del self._pending[engine]
        self._active[engine].clear()
        self._indexes[engine] = ApproximateIndex(self._block_tokens, self._blocks)

    def _uncached_tokens(self, request: TraceRequest, engine: int) -> int:
        matched = self._indexes[engine].matched(_chain(request))
        return max(0, request.prompt_tokens - matched * self._block_tokens)


def _chain(request: TraceRequest) -> Chain:
    return Chain(request.blocks, len(request.blocks))
