"""The Pods that are bound to this worker, kept up to date over restarts and silences of the server."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from bayplan.runtimes.processes.backoff import Backoff, jittered
from bayplan.runtimes.processes.server_link import AwayError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.store import Object
    from bayplan.runtimes.processes.server_link import ServerLink

_EXPIRED = 410
_AGAIN_S = 0.2  # between two watches, should a server end them at once

_log = logging.getLogger("bayplan.worker")


class PodWatch:
    """Tells `whole` all Pods after each list, `seen` each newer one and `removed` each that is gone."""

    def __init__(
        self,
        link: ServerLink,
        whole: Callable[[list[Object]], None],
        seen: Callable[[Object], None],
        removed: Callable[[Object], None],
    ) -> None:
        self._link, self._whole, self._seen, self._removed = link, whole, seen, removed
        self._backoff = Backoff(0.5, 10.0)
        self._revision = ""
        self._lost = False

    async def run(self) -> None:
        """Until it is cancelled; what the server refuses for good is tried again too, because tokens are renewed."""
        while True:
            try:
                await self._once()
            except AwayError as error:
                if not self._lost:
                    _log.warning("%s; replicas go on, and the worker tries again", error)
                self._lost = True
            except RefusedError as error:
                if error.status == _EXPIRED:
                    self._revision = ""  # too long away: everything is read anew
                    continue
                _log.warning("the Pods of this worker cannot be read: %s", error)
            else:
                continue
            await asyncio.sleep(jittered(self._backoff.pause_s()))

    async def _once(self) -> None:
        if not self._revision:
            pods, self._revision = await self._link.pods()
            self._whole(pods)
            self._found()
        async for kind, document in self._link.changes(self._revision):
            self._found()
            self._revision = document["metadata"]["resourceVersion"]
            if kind == "DELETED":
                self._removed(document)
            elif kind != "BOOKMARK":
                self._seen(document)
        self._found()
        await asyncio.sleep(jittered(_AGAIN_S))

    def _found(self) -> None:
        self._backoff.reset()
        if self._lost:
            _log.info("the server answers again")
            self._lost = False
