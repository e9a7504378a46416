"""Kubernetes Events about objects: equal ones are counted, similar ones combined, and old ones deleted."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bayplan.control.clock import SYSTEM_CLOCK, moment_text, seconds_of
from bayplan.control.observing import UNOBSERVED
from bayplan.control.store import Collection, Key
from bayplan.control.store_errors import AlreadyExistsError, NotFoundError, StoreError

if TYPE_CHECKING:
    from bayplan.control.clock import Clock
    from bayplan.control.observing import LoopObserver
    from bayplan.control.store import Object, Store

EVENTS = Collection("", "events", has_status=False)
KEPT_S = 3600.0
"""As in Kubernetes: an event that did not happen again for an hour is deleted."""
MOST_QUEUED = 10_000
"""Events that wait to be written; further ones are dropped, because telling must never hold up doing."""
MOST_ALIKE = 10
"""Events about one object that differ only in their message, within ten minutes; further ones share an object."""
_ALIKE_S = 600.0  # as in Kubernetes, like the number above
_MOST_FOLLOWED = 8_192  # objects and reasons whose messages are counted; the one told longest ago is forgotten first
_LONGEST = 1024  # characters of a message, as in Kubernetes
_LONGEST_NAME = 230  # characters of an object's name in the name of an event, which has 253 at most
_SWEEP_S = 300.0
_AT_ONCE = 64  # events that share a commit of the store
_PAGE = 500  # events that are read at once
_LAST_S = 3.0  # for what is queued at the end

_log = logging.getLogger("bayplan.control")


@dataclass(frozen=True, slots=True)
class _Said:
    about: tuple[str, str, str, str, str]
    type: str
    reason: str
    message: str
    at_s: float
    combined: bool = False

    @property
    def name(self) -> str:
        """Follows from what it says, so that the same again is found."""
        told = (self.about, self.type, self.reason, None if self.combined else self.message)
        digest = hashlib.blake2b(repr(told).encode(), digest_size=8).hexdigest()
        return f"{self.about[3][:_LONGEST_NAME].rstrip('.-')}.{digest}"


class EventRecorder:
    """Writes events beside the loops: `tell` only queues."""

    def __init__(
        self, store: Store, component: str = "bayplan", clock: Clock = SYSTEM_CLOCK, observer: LoopObserver = UNOBSERVED
    ) -> None:
        self._store, self._component, self._clock, self._observer = store, component, clock, observer
        self._queue: asyncio.Queue[_Said] = asyncio.Queue(MOST_QUEUED)
        self._alike: OrderedDict[object, tuple[float, set[int]]] = OrderedDict()
        self._tasks: list[asyncio.Task[None]] = []

    def tell(self, about: Object, type: Literal["Normal", "Warning"], reason: str, message: str) -> None:  # noqa: A002
        """Say what happened to an object; `reason` is one word in CamelCase."""
        metadata = about["metadata"]
        whose = (
            about.get("apiVersion", ""),
            about.get("kind", ""),
            metadata.get("namespace", ""),
            metadata["name"],
            metadata.get("uid", ""),
        )
        now = self._clock()
        combined = self._has_many((whose, type, reason), message, now)
        try:
            self._queue.put_nowait(_Said(whose, type, reason, message[:_LONGEST], now, combined))
        except asyncio.QueueFull:
            self._observer.event_dropped()
            _log.debug("too many events wait to be written; %s about %s is dropped", reason, metadata["name"])

    def _has_many(self, what: object, message: str, now: float) -> bool:
        """Whether so many other messages were told about this that a new one gets no object of its own."""
        since, messages = self._alike.pop(what, (now, set()))
        if now - since >= _ALIKE_S:
            since, messages = now, set()
        known = hash(message)
        if len(messages) < MOST_ALIKE:
            messages.add(known)
        self._alike[what] = since, messages
        if len(self._alike) > _MOST_FOLLOWED:
            self._alike.popitem(last=False)
        return known not in messages

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._write_all()), asyncio.create_task(self._sweep())]

    async def stop(self) -> None:
        """Write what is queued, then stop; a store that takes too long is not waited for."""
        try:
            async with asyncio.timeout(_LAST_S if self._tasks else 0):
                await self._queue.join()
        except TimeoutError:
            _log.debug("%d events are not written", self._queue.qsize())
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def settled(self) -> None:
        """Until everything that was told is written."""
        await self._queue.join()

    async def _write_all(self) -> None:
        while True:
            batch = [await self._queue.get()]
            while len(batch) < _AT_ONCE and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            equal: dict[tuple[str, str], list[_Said]] = {}
            for each in batch:
                equal.setdefault((each.about[2], each.name), []).append(each)
            try:
                await asyncio.gather(*(self._write(each[-1], each[0].at_s, len(each)) for each in equal.values()))
            finally:
                for _ in batch:
                    self._queue.task_done()

    async def _write(self, said: _Said, first_s: float, times: int) -> None:
        """Write what was said so often; whatever goes wrong, the event is not worth more than a line in the log."""
        document = _event(said, self._component, first_s, times)
        key = Key(EVENTS, document["metadata"]["namespace"], document["metadata"]["name"])
        try:
            try:
                await self._store.patch(key, lambda old: _counted(old, said, times))
            except NotFoundError:
                try:
                    await self._store.create(EVENTS, document)
                except AlreadyExistsError:
                    await self._store.patch(key, lambda old: _counted(old, said, times))
        except StoreError as error:  # such as a namespace that is being deleted
            _log.debug("the event %s is not written: %s", said.reason, error)
        except Exception:
            _log.exception("the event %s about %s is not written", said.reason, said.about[3])

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_S)
            try:
                await self.forget_old()
            except Exception as error:
                _log.warning("old events are not deleted now: %s: %s", type(error).__name__, error)

    async def forget_old(self) -> None:
        """Delete events that did not happen again for an hour."""
        limit, following = self._clock() - KEPT_S, ""
        while True:
            page = await self._store.list(EVENTS, limit=_PAGE, next=following)
            old = [key for each in page.items if (key := _outdated(each.document(), limit)) is not None]
            for first in range(0, len(old), _AT_ONCE):
                await asyncio.gather(*map(self._delete, old[first : first + _AT_ONCE]))
            following = page.next
            if not following:
                return

    async def _delete(self, key: Key) -> None:
        try:
            await self._store.delete(key)
        except StoreError as error:
            _log.debug("%s is not deleted: %s", key, error)


def _outdated(event: Object, limit_s: float) -> Key | None:
    """The event, if it last happened before a time."""
    metadata = event["metadata"]
    last = seconds_of(event.get("lastTimestamp") or event.get("eventTime") or metadata.get("creationTimestamp"))
    if last is None or last >= limit_s:
        return None
    return Key(EVENTS, metadata["namespace"], metadata["name"])


def _event(said: _Said, component: str, first_s: float, times: int) -> dict[str, Any]:
    """A new event."""
    api_version, kind, namespace, name, uid = said.about
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": said.name, "namespace": namespace or "default"},
        "involvedObject": {
            "apiVersion": api_version, "kind": kind, "namespace": namespace, "name": name, "uid": uid,
        },
        "type": said.type,
        "reason": said.reason,
        "message": _message(said),
        "source": {"component": component},
        "reportingComponent": component,
        "reportingInstance": "",
        "firstTimestamp": moment_text(first_s),
        "lastTimestamp": moment_text(said.at_s),
        "count": times,
    }  # fmt: skip


def _counted(event: Object, said: _Said, times: int) -> Object:
    """The event, some times more; a combined one has the last message."""
    count = event.get("count")
    event["count"] = (count if isinstance(count, int) else 1) + times
    event["lastTimestamp"] = moment_text(said.at_s)
    event["message"] = _message(said)
    return event


def _message(said: _Said) -> str:
    return f"(combined from similar events): {said.message}"[:_LONGEST] if said.combined else said.message
