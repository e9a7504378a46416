"""Writes of a simulated fleet: all that are due together share the commits of the store."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from bayplan.control.store import Deletion
from bayplan.control.store_errors import NotFoundError, StaleError, StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

    from bayplan.control.store import Key, Object, Store

MOST_TOGETHER = 512
"""Writes that wait for one commit; more would only hold up those of other loops."""
_PAUSE_S = 1.0  # after a write that the store failed to do

_log = logging.getLogger("bayplan.sim.fleet")


class Writer:
    """Each subject has at most one write waiting; the newest wins, because it is worked out when it is written."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: dict[Hashable, Callable[[], Awaitable[object]]] = {}
        self._wakes = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._busy = False
        self.written = 0

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="simulated fleet writes")

    async def stop(self) -> None:
        """What is under way is finished; what waits is worked out again at the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def is_idle(self) -> bool:
        return not self._waiting and not self._busy

    def patch(self, subject: Hashable, key: Key, change: Callable[[Object], Object], subresource: str = "") -> None:
        """Change an object."""
        self._put(subject, lambda: self._store.patch(key, change, subresource=subresource))

    def delete(self, subject: Hashable, key: Key, uid: str, grace_s: int = 0) -> None:
        """Delete a Pod; 0 seconds finish a deletion."""
        self._put(subject, lambda: self._store.delete(key, Deletion(grace_s=grace_s, uid=uid)))

    def _put(self, subject: Hashable, write: Callable[[], Awaitable[object]]) -> None:
        self._waiting[subject] = write
        self._wakes.set()

    async def _run(self) -> None:
        while True:
            await self._wakes.wait()
            self._busy = True
            subjects = list(self._waiting)[:MOST_TOGETHER]
            writes = {each: self._waiting.pop(each) for each in subjects}
            if not self._waiting:
                self._wakes.clear()
            await asyncio.gather(*(self._write(subject, write) for subject, write in writes.items()))
            self._busy = False

    async def _write(self, subject: Hashable, write: Callable[[], Awaitable[object]]) -> None:
        try:
            await write()
            self.written += 1
        except (NotFoundError, StaleError):
            return  # it is gone, or another object has its name
        except StoreError as error:
            _log.warning("a write of the simulated fleet failed, and is tried again: %s", error)
            await asyncio.sleep(_PAUSE_S)
            if subject not in self._waiting:
                self._put(subject, write)
