"""The configuration of placement as a stored object: a good one is taken over while the system runs.

The SchedulerConfig called `placement` counts; without it the defaults do. One that cannot be read changes nothing: the
last good one stays in effect, and its status says why.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from bayplan.control.clock import moment_text
from bayplan.control.collections import SCHEDULER_CONFIGS
from bayplan.control.reconciler import Reconciler
from bayplan.control.store import Key
from bayplan.framework.errors import BayplanError
from bayplan.library.planner import placement_config

if TYPE_CHECKING:
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.clock import Clock
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.scheduling.loop import SchedulingLoop
    from bayplan.control.store import Object, Store

NAME = "placement"
_ABOUT_THE_OBJECT = ("status",)
_KEPT = ("name",)  # of the metadata

_log = logging.getLogger("bayplan.scheduling")


class Configuration:
    """Follows the object; `start` takes it over before the first decision."""

    collections = (SCHEDULER_CONFIGS,)

    def __init__(
        self, store: Store, cache: Cache, events: EventRecorder, clock: Clock, scheduling: SchedulingLoop,
        default: Any = None, plugins: tuple[object, ...] = (),
    ) -> None:  # fmt: skip
        self._store, self._cache, self._events, self._clock = store, cache, events, clock
        self._scheduling, self._default, self._plugins = scheduling, default, plugins
        self._running = False
        self._in_effect: Any = None
        self._statuses: dict[str, tuple[str, str, str]] = {}
        self._writer = Reconciler("scheduler configurations", self._write)
        cache.listen(SCHEDULER_CONFIGS, self._seen)

    def start(self) -> None:
        """Take over what is stored; the cache has read it by now."""
        self._running = True
        self._writer.start()
        self._take_over()

    async def stop(self) -> None:
        self._running = False
        await self._writer.stop()

    async def settled(self) -> None:
        await self._writer.settled()

    def _seen(self, seen: Seen) -> None:
        if self._running and (seen.old is None or seen.new is None or _document(seen.old) != _document(seen.new)):
            self._take_over()

    def _take_over(self) -> None:
        """Read what is stored now, use it if it can be used, and say so on every object of this kind."""
        self._statuses = {}
        for each in self._cache.all(SCHEDULER_CONFIGS):
            name = each["metadata"]["name"]
            if name != NAME and each.get("scheduler") in (None, "placement"):
                self._statuses[name] = ("False", "NotInEffect", f"only the configuration called {NAME!r} is used")
        stored = self._cache.get(Key(SCHEDULER_CONFIGS, "", NAME))
        wanted = self._default if stored is None else _document(stored)
        try:
            if wanted != self._in_effect:
                self._scheduling.follow(placement_config(wanted), wanted, self._plugins)
                self._in_effect = wanted
                _log.info("the configuration %s is in effect", "of defaults" if stored is None else NAME)
            self._statuses[NAME] = ("True", "InEffect", "decisions are made by it")
        except BayplanError as error:
            kept = "the defaults stay" if self._in_effect == self._default else "the last good one stays"
            self._statuses[NAME] = ("False", "Invalid", f"{error}; {kept} in effect")
            _log.warning("the configuration %s is refused, and %s in effect: %s", NAME, kept, error)
            if stored is not None:
                self._events.tell(stored, "Warning", "Invalid", f"{error}; {kept} in effect")
        for name in self._statuses:
            self._writer.add(name)

    async def _write(self, name: str) -> None:
        status = self._statuses.get(name)
        stored = self._cache.get(Key(SCHEDULER_CONFIGS, "", name))
        if status is None or stored is None:
            return
        now = moment_text(self._clock())
        await self._store.patch(
            Key(SCHEDULER_CONFIGS, "", name), lambda old: _with_status(old, status, now), subresource="status"
        )


def _document(stored: Object) -> dict[str, Any]:
    """The configuration without what the store adds."""
    document = {key: value for key, value in stored.items() if key not in _ABOUT_THE_OBJECT}
    document["metadata"] = {key: value for key, value in stored["metadata"].items() if key in _KEPT}
    return document


def _with_status(stored: Object, status: tuple[str, str, str], now: str) -> Object:
    word, reason, message = status
    old: Object = next(iter((stored.get("status") or {}).get("conditions") or ()), {})
    since = old.get("lastTransitionTime") if old.get("status") == word else None
    condition = {
        "type": "Ready",
        "status": word,
        "reason": reason,
        "message": message,
        "lastTransitionTime": since or now,
    }
    generation = stored["metadata"].get("generation")
    stored["status"] = {"conditions": [condition], **({"observedGeneration": generation} if generation else {})}
    return stored
