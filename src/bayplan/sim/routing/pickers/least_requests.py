"""Least in flight: the engine with the fewest requests."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bayplan.sim.routing.pickers.immediate import Immediate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.trace import TraceRequest


class LeastRequests(Immediate):
    """Counts requests from sending to end."""

    name = "least"

    def __init__(self, engines: int, seed: int = 0) -> None:
        super().__init__(engines, seed)
        self._requests: Counter[int] = Counter()

    def costs(self, request: TraceRequest, live: Sequence[int], now: float) -> list[float]:
        return [float(self._requests[engine]) for engine in live]

    def sent(self, request: TraceRequest, engine: int) -> None:
        self._requests[engine] += 1

    def ended(self, request: TraceRequest, engine: int) -> None:
        self._requests[engine] -= 1

    def forgotten(self, engine: int) -> None:
        del self._requests[engine]
