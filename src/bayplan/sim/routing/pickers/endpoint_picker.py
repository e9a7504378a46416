"""GIE's endpoint picker with its default weights, by its own rules."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from bayplan.sim.routing.pickers.immediate import Immediate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.routing.pickers.scraped import Scraped
    from bayplan.sim.routing.trace import TraceRequest

PREFIX, QUEUE, KV_CACHE = 3.0, 2.0, 2.0


class EndpointPicker(Immediate):
    """Prefix 3, queue 2, KV cache 2 and the highest total, with metrics as they were scraped.

    Unlike the same configuration in our router it does not know what it has sent since the last scrape, and its index
    adds the front of a prompt first and counts blocks behind a gap.
    """

    name = "gie"

    def __init__(self, engines: int, blocks: int, scraped: Scraped, seed: int = 0) -> None:
        super().__init__(engines, seed)
        self._scraped = scraped
        self._blocks = blocks
        self._held: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(engines)]

    def costs(self, request: TraceRequest, live: Sequence[int], now: float) -> list[float]:
        readings = [self._scraped.reading(engine, now) for engine in live]
        least = min(each.waiting for each in readings)
        spread = max(each.waiting for each in readings) - least
        matched = self._matched(request)
        total = max(1, len(request.blocks))
        return [
            -PREFIX * matched[engine] / total
            - QUEUE * (1.0 - (each.waiting - least) / spread if spread else 1.0)
            - KV_CACHE * (1.0 - each.usage)
            for engine, each in zip(live, readings, strict=True)
        ]

    def _matched(self, request: TraceRequest) -> list[int]:
        """Blocks of each engine, up to the first block that no engine has."""
        matched = [0] * len(self._held)
        for block in request.blocks:
            holders = [engine for engine, held in enumerate(self._held) if block in held]
            if not holders:
                break
            for engine in holders:
                matched[engine] += 1
        return matched

    def sent(self, request: TraceRequest, engine: int) -> None:
        held = self._held[engine]
        for block in request.blocks:
            held[block] = None
            held.move_to_end(block)
        for _ in range(len(held) - self._blocks):
            held.popitem(last=False)

    def forgotten(self, engine: int) -> None:
        self._held[engine].clear()
