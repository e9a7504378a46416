"""Asking one source again and again, with waits that its answers decide."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from bayplan.signals.http_source import Fetched, HttpSource


class Polling:
    """Calls `take` with every answer; what it returns is the wait until the next question, in seconds."""

    def __init__(
        self, source: HttpSource, take: Callable[[Fetched], float], *, chance: Random, jitter: float = 0.1
    ) -> None:
        self._source, self._take = source, take
        self._chance, self._jitter = chance, jitter
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def start(self, within_s: float) -> None:
        """Ask for the first time within so long, at a time of chance."""
        self._timer = self._loop.call_later(self._chance.random() * within_s, self._ask)

    def stop(self) -> None:
        """Ask no more, and forget a question that is under way."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._source.close()

    def _ask(self) -> None:
        self._source.fetch(self._done)

    def _done(self, fetched: Fetched) -> None:
        wait_s = self._take(fetched) * (1.0 + self._jitter * (2.0 * self._chance.random() - 1.0))
        self._timer = self._loop.call_later(wait_s, self._ask)
