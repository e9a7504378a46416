"""Round robin: every engine in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.sim.routing.pickers.immediate import Immediate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.trace import TraceRequest


class RoundRobin(Immediate):
    """Looks at nothing."""

    name = "rr"

    def __init__(self, engines: int, seed: int = 0) -> None:
        super().__init__(engines, seed)
        self._engines = engines
        self._last = -1

    def costs(self, request: TraceRequest, live: Sequence[int], now: float) -> list[float]:
        return [float((engine - self._last - 1) % self._engines) for engine in live]

    def sent(self, request: TraceRequest, engine: int) -> None:
        self._last = engine
