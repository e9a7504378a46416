"""Least pending prefill: the engine with the fewest prompt tokens before their first token, caches ignored."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bayplan.sim.routing.pickers.immediate import Immediate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.trace import TraceRequest


class LeastTokens(Immediate):
    """Counts whole prompts from sending to first token."""

    name = "leasttok"

    def __init__(self, engines: int, seed: int = 0) -> None:
        super().__init__(engines, seed)
        self._tokens: Counter[int] = Counter()

    def costs(self, request: TraceRequest, live: Sequence[int], now: float) -> list[float]:
        return [float(self._tokens[engine]) for engine in live]

    def sent(self, request: TraceRequest, engine: int) -> None:
        self._tokens[engine] += request.prompt_tokens

    def computed(self, request: TraceRequest, engine: int) -> None:
        self._tokens[engine] -= request.prompt_tokens

    def forgotten(self, engine: int) -> None:
        del self._tokens[engine]
