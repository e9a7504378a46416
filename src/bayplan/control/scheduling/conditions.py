"""The condition PodScheduled of Pods that wait: why, with numbers; written only when it says something new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.clock import moment_text
from bayplan.control.collections import PODS
from bayplan.control.reconciler import Reconciler
from bayplan.control.store import Key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.clock import Clock
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.store import Object, Store

EVERY_S = 5.0
"""A Pod's condition is written at most this often: its numbers may change with every booking."""
_AT_ONCE = 64  # writes that share a commit of the store
_LONGEST = 1024  # characters of a message


class PodConditions:
    """Writes behind the loop, several Pods at once; the last word on a Pod counts."""

    def __init__(self, store: Store, cache: Cache, clock: Clock) -> None:
        self._store, self._cache, self._clock = store, cache, clock
        self._wanted: dict[PodName, tuple[str, str]] = {}
        self._written_s: dict[PodName, float] = {}
        self._writer = Reconciler("pod conditions", self._write, at_once=_AT_ONCE)
        cache.listen(PODS, self._pod_seen)

    def set(self, pods: Iterable[PodName], reason: str, message: str) -> None:
        """Say why Pods have no place."""
        for name in pods:
            self._wanted[name] = (reason, message[:_LONGEST])
            self._writer.add(name)

    def start(self) -> None:
        self._writer.start()

    async def stop(self) -> None:
        await self._writer.stop()

    async def settled(self) -> None:
        """Until everything is written that need not wait."""
        await self._writer.settled()

    async def _write(self, name: PodName) -> float | None:
        wanted = self._wanted.get(name)
        pod = self._cache.get(Key(PODS, *name))
        if pod is None or pod["spec"].get("nodeName"):
            self._forget(name)
            return None
        if wanted is None or _says(pod, *wanted):
            return None
        now = self._clock()
        pause_s = self._written_s.get(name, -EVERY_S) + EVERY_S - now
        if pause_s > 0:
            return pause_s
        self._written_s[name] = now
        await self._store.patch(Key(PODS, *name), lambda old: _with(old, *wanted, now), subresource="status")
        return None

    def _pod_seen(self, seen: Seen) -> None:
        """A Pod that has a place, or is gone, needs no word any more: nor does another one of its name inherit it."""
        if seen.new is None or seen.new["spec"].get("nodeName"):
            self._forget((seen.key.namespace, seen.key.name))

    def _forget(self, name: PodName) -> None:
        self._wanted.pop(name, None)
        self._written_s.pop(name, None)


def _condition(pod: Object) -> Object:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    found: Object = next((each for each in conditions if each.get("type") == "PodScheduled"), {})
    return found


def _says(pod: Object, reason: str, message: str) -> bool:
    found = _condition(pod)
    return (found.get("status"), found.get("reason"), found.get("message")) == ("False", reason, message)


def _with(pod: Object, reason: str, message: str, now: float) -> Object:
    """The Pod with the condition; the time of its last transition stays where it was False before."""
    if pod["spec"].get("nodeName"):
        return pod  # bound meanwhile
    old = _condition(pod)
    since = old.get("lastTransitionTime") if old.get("status") == "False" else None
    status = pod.setdefault("status", {})
    others = [each for each in status.get("conditions") or () if each.get("type") != "PodScheduled"]
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": reason,
        "message": message,
        "lastTransitionTime": since or moment_text(now),
    }
    status["conditions"] = [condition, *others]
    status.setdefault("phase", "Pending")
    return pod
