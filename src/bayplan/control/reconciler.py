"""Work on keys until the world is as it should be: each key once at a time, again when it fails, later if asked."""

from __future__ import annotations

import asyncio
import logging
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

from bayplan.control.observing import UNOBSERVED
from bayplan.control.store_errors import NotFoundError, StaleError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

    from bayplan.control.observing import LoopObserver

KeyT = TypeVar("KeyT", bound="Hashable")

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 30.0
"""A key that fails is tried again after a pause that doubles each time; a lost race is not worth half a minute."""

_log = logging.getLogger("bayplan.control")


class Reconciler(Generic[KeyT]):
    """A queue of keys for one function; a key that is added while it is worked on is worked on once more.

    The function may return a number of seconds after which the key is to be looked at again.
    """

    def __init__(
        self, name: str, reconcile: Callable[[KeyT], Awaitable[float | None]], *, at_once: int = 4,
        observer: LoopObserver = UNOBSERVED,
    ) -> None:  # fmt: skip
        self._name = name
        self._observer = observer
        self._reconcile = reconcile
        self._at_once = at_once
        self._ready: dict[KeyT, None] = {}  # a set in order
        self._busy: set[KeyT] = set()
        self._again: set[KeyT] = set()
        self._alarms: dict[KeyT, asyncio.TimerHandle] = {}
        self._failures: dict[KeyT, int] = {}
        self._wakes = asyncio.Event()
        self._idle = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def add(self, key: KeyT) -> None:
        """Look at a key soon."""
        if key in self._busy:
            self._again.add(key)
            return
        if (alarm := self._alarms.pop(key, None)) is not None:
            alarm.cancel()
        self._ready[key] = None
        self._idle.clear()
        self._wakes.set()

    def add_after(self, key: KeyT, seconds: float) -> None:
        """Look at a key after a while, unless it is looked at before."""
        if key in self._ready:
            return
        if (alarm := self._alarms.pop(key, None)) is not None:
            alarm.cancel()
        self._alarms[key] = asyncio.get_running_loop().call_later(seconds, self.add, key)

    def start(self) -> None:
        """Work until `stop`."""
        self._tasks = [asyncio.create_task(self._work(), name=f"{self._name} {n}") for n in range(self._at_once)]

    async def stop(self) -> None:
        """Stop at once; what was not finished is found again at the next start."""
        for alarm in self._alarms.values():
            alarm.cancel()
        self._alarms.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def settled(self) -> None:
        """Until no key is ready or being worked on; keys that wait for a later time do not count."""
        while self._ready or self._busy:
            self._idle.clear()
            await self._idle.wait()

    async def _work(self) -> None:
        while True:
            while not self._ready:
                self._wakes.clear()
                await self._wakes.wait()
            key = next(iter(self._ready))
            del self._ready[key]
            self._busy.add(key)
            try:
                await self._once(key)
            finally:
                self._busy.discard(key)
                if key in self._again:
                    self._again.discard(key)
                    self.add(key)
                if not self._ready and not self._busy:
                    self._idle.set()

    async def _once(self, key: KeyT) -> None:
        began, failed = perf_counter(), True
        try:
            later = await self._reconcile(key)
        except (StaleError, NotFoundError):  # lost a race: what won it is, or will be, in the cache
            self._failed(key)
        except Exception as error:
            _log.warning("%s: %s: %s; it is tried again", self._name, key, type(error).__name__, exc_info=error)
            self._failed(key)
        else:
            failed = False
            self._failures.pop(key, None)
            if later is not None:
                self.add_after(key, later)
        self._observer.reconciled(self._name, perf_counter() - began, failed=failed)

    def _failed(self, key: KeyT) -> None:
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(failures - 1, 16))
        self.add_after(key, pause_s)
