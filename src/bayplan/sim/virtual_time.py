"""An event loop whose time is virtual: where all tasks wait, it jumps to the next alarm instead of sleeping."""

from __future__ import annotations

import asyncio
import selectors
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")

START_S = 1_767_225_600.0
"""The first moment of 2026: every simulation begins then, so that recorded times repeat."""


class StuckError(RuntimeError):
    """Every task waits for something that will not happen."""


class _Jumping(selectors.DefaultSelector):
    """Waits for nothing: what would be waited is added to the time."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise StuckError("no task can go on, and no alarm is set")
        self.now += max(0.0, timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Only for programs in one thread without sockets: another thread would be waited for in no time at all."""

    def __init__(self, start_s: float = START_S) -> None:
        self._jumping = _Jumping()
        self.start_s = start_s
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now

    def clock(self) -> float:
        """Seconds since 1970, as loops ask for them."""
        return self.start_s + self._jumping.now


def run_virtually(main: Coroutine[Any, Any, T], loop: VirtualLoop | None = None) -> T:
    """Run a coroutine and all that it starts, in virtual time."""
    with asyncio.Runner(loop_factory=lambda: loop or VirtualLoop()) as runner:
        return runner.run(main)
