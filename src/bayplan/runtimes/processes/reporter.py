"""What is told to the server about Pods: only what changed, all at once that changed together, until it is heard."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Any

from bayplan.runtimes.processes.backoff import Backoff, jittered
from bayplan.runtimes.processes.server_link import AwayError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from bayplan.control.store import Object
    from bayplan.runtimes.processes.pod_runner import PodRunner
    from bayplan.runtimes.processes.server_link import ServerLink

_TOGETHER_S = 0.05  # changes within this time share a request
_MOST_EVENTS = 1000  # that wait while the server is away; older ones are dropped
_MOST_PODS = 200  # in one request

_log = logging.getLogger("bayplan.worker")


class Reporter:
    """Sends statuses and events. What the server has heard is remembered, so that nothing is sent twice."""

    def __init__(self, link: ServerLink, runners: dict[str, PodRunner], gone: Callable[[str], None]) -> None:
        self._link, self._runners, self._gone = link, runners, gone
        self._dirty: dict[str, None] = {}
        self._heard: dict[str, dict[str, Any]] = {}
        self._events: deque[dict[str, Any]] = deque(maxlen=_MOST_EVENTS)
        self._wakes = asyncio.Event()
        self._backoff = Backoff(0.5, 10.0)

    def changed(self, uid: str) -> None:
        """A Pod is worth a look."""
        self._dirty[uid] = None
        self._wakes.set()

    def tell(self, about: Object, kind: Literal["Normal", "Warning"], reason: str, message: str) -> None:
        """An event about a Pod."""
        metadata = about["metadata"]
        where = {"namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]}
        self._events.append({**where, "type": kind, "reason": reason, "message": message[:1024]})
        self._wakes.set()

    def resync(self) -> None:
        """Tell everything anew: others may have written about the Pods while the server did not hear this worker."""
        self._heard.clear()
        for uid in self._runners:
            self.changed(uid)

    def forget(self, uid: str) -> None:
        """A Pod is gone from the server."""
        self._heard.pop(uid, None)
        self._dirty.pop(uid, None)

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._wakes.wait()
            await asyncio.sleep(_TOGETHER_S)
            self._wakes.clear()
            try:
                await self.flush()
                self._backoff.reset()
            except (AwayError, RefusedError) as error:
                _log.debug("the report waits: %s", error)
                await asyncio.sleep(jittered(self._backoff.pause_s()))
                self._wakes.set()

    async def flush(self) -> None:
        """Send everything that the server has not heard yet."""
        while self._dirty or self._events:
            await self._send_some()

    async def _send_some(self) -> None:
        uids = list(self._dirty)[:_MOST_PODS]
        entries = [entry for uid in uids if (entry := self._entry(uid)) is not None]
        for uid in uids:
            self._dirty.pop(uid)
        events = [self._events.popleft() for _ in range(min(len(self._events), _MOST_PODS))]
        if not entries and not events:
            return
        try:
            answer = await self._link.report({"pods": entries, "events": events})
        except BaseException:
            self._dirty = dict.fromkeys(uids) | self._dirty
            self._events.extendleft(reversed(events))
            raise
        for entry, result in zip(entries, answer["pods"], strict=True):
            self._take(entry, result)

    def _entry(self, uid: str) -> dict[str, Any] | None:
        runner = self._runners.get(uid)
        if runner is None:
            return None
        metadata = runner.pod["metadata"]
        entry = {"namespace": metadata["namespace"], "name": metadata["name"], "uid": uid}
        entry |= {"status": runner.status(), "endpoint": runner.endpoint, "gone": runner.gone}
        return None if entry == self._heard.get(uid) else entry

    def _take(self, entry: dict[str, Any], result: dict[str, Any]) -> None:
        uid = entry["uid"]
        if result.get("gone"):
            self._gone(uid)
        elif "error" in result:
            _log.warning("the status of pod %s/%s was refused: %s", entry["namespace"], entry["name"], result["error"])
        else:
            self._heard[uid] = entry
