"""Things to do at set times: one heap and one alarm for all of them, however many workers there are."""

from __future__ import annotations

import asyncio
from heapq import heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.clock import Clock

TICK_S = 0.05
"""Times are rounded up to this, so that what happens almost together is written together."""
MOST_AT_ONCE = 500
"""Actions before others get the event loop; a number and not a time, so that simulations repeat."""
_NEAR_S = 1e-4  # times of virtual loops are sums of floats


class Agenda:
    """Actions are called on the event loop, in the order of their times; they may be set before `start`.

    It counts by the time of the event loop, so that a clock that is set back or forth holds up nothing.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Callable[[], object]]] = []
        self._count = 0
        self._alarm: asyncio.Handle | None = None
        self._alarm_s = float("inf")
        self._loop: asyncio.AbstractEventLoop | None = None

    def __len__(self) -> int:
        return len(self._heap)

    def at(self, moment_s: float, action: Callable[[], object]) -> None:
        """Call an action at a moment of the clock, or soon where that has passed."""
        self.after(moment_s - self._clock(), action)

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Call an action that many seconds from now."""
        due_s = -(-(asyncio.get_running_loop().time() + seconds) // TICK_S) * TICK_S
        self._count += 1
        heappush(self._heap, (due_s, self._count, action))
        if self._loop is not None and due_s < self._alarm_s:
            self._arm()

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._arm()

    def stop(self) -> None:
        """Nothing is called any more."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm, self._loop, self._alarm_s = None, None, float("inf")
        self._heap.clear()

    def _arm(self) -> None:
        """Set the alarm to the first action."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm, self._alarm_s = None, float("inf")
        if self._heap and self._loop is not None:
            self._alarm_s = self._heap[0][0]
            self._alarm = self._loop.call_at(self._alarm_s, self._ring)

    def _ring(self) -> None:
        if self._loop is None:
            return
        self._alarm, self._alarm_s = None, float("-inf")  # actions that set times do not move the alarm
        now_s = self._loop.time() + _NEAR_S
        for _ in range(MOST_AT_ONCE):
            if not self._heap or self._heap[0][0] > now_s:
                break
            heappop(self._heap)[2]()
        self._arm()
