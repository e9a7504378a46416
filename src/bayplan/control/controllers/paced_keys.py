"""A queue of keys that looks at each of them at most a few times a second, however often it is told about it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bayplan.control.observing import UNOBSERVED
from bayplan.control.reconciler import Reconciler

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bayplan.control.observing import LoopObserver
    from bayplan.control.store import Key

PACE_S = 0.2
"""A pool whose thousand Pods start within seconds is written a few times, not a thousand times."""
_MOST_KNOWN = 10_000  # keys whose last write is remembered; forgetting one costs an early write


class PacedKeys:
    """The first change is answered at once, further ones together after a pause."""

    def __init__(
        self, name: str, reconcile: Callable[[Key], Awaitable[float | None]], pace_s: float = PACE_S,
        *, observer: LoopObserver = UNOBSERVED,
    ) -> None:  # fmt: skip
        self._keys: Reconciler[Key] = Reconciler(name, reconcile, observer=observer)
        self._pace_s = pace_s
        self._last: dict[Key, float] = {}
        self._planned: dict[Key, asyncio.TimerHandle] = {}

    def add(self, key: Key) -> None:
        """Look at a key: now, or once its pause is over."""
        if key in self._planned:
            return
        loop = asyncio.get_running_loop()
        pause_s = self._last.get(key, -self._pace_s) + self._pace_s - loop.time()
        if pause_s > 0:
            self._planned[key] = loop.call_later(pause_s, self._due, key)
        else:
            self._keys.add(key)

    def wrote(self, key: Key) -> None:
        """The key was written: the next look waits."""
        if len(self._last) >= _MOST_KNOWN:
            self._last.clear()
        self._last[key] = asyncio.get_running_loop().time()

    def _due(self, key: Key) -> None:
        del self._planned[key]
        self._keys.add(key)

    def start(self) -> None:
        self._keys.start()

    async def stop(self) -> None:
        for alarm in self._planned.values():
            alarm.cancel()
        self._planned.clear()
        await self._keys.stop()

    async def settled(self) -> None:
        """Until every key was looked at after its last change."""
        await self._keys.settled()
        while self._planned:
            await asyncio.sleep(self._pace_s)
            await self._keys.settled()
