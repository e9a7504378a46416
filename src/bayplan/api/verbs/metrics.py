"""GET /metrics: all metrics as text, written in steps so that other requests do not wait for them."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING

from bayplan.api.large_response import LargeResponse
from bayplan.telemetry.metrics.catalogue import SCRAPE_TIME
from bayplan.telemetry.metrics.exposition import accepted_style

if TYPE_CHECKING:
    from starlette.responses import Response

    from bayplan.telemetry.metrics.exposition import Style
    from bayplan.telemetry.metrics.registry import Metrics

_STEP_S = 0.002  # of writing before others have their turn


class Exposition:
    """One scrape at a time: a second one waits, so that impatient collectors cost no more than one."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._turn = asyncio.Lock()

    async def answer(self, accept: str) -> Response:
        """The text in the format that the client accepts."""
        style = accepted_style(accept)
        async with self._turn:
            body = await self._written(style)
        return LargeResponse(body, media_type=style.value)

    async def _written(self, style: Style) -> bytes:
        pieces, busy_s, started = [], 0.0, perf_counter()
        for piece in self._metrics.pieces(style):
            pieces.append(piece.encode("utf-8", "replace"))
            now = perf_counter()
            if now - started > _STEP_S:
                busy_s += now - started
                await asyncio.sleep(0)
                started = perf_counter()
        self._metrics.histogram(SCRAPE_TIME).observe(busy_s + perf_counter() - started)
        return b"".join(pieces)
