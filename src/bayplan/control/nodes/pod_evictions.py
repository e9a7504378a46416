"""Pods of Nodes that no worker attends to: deleted when their time is up, and finished off where that is asked for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from bayplan.control.clock import seconds_of
from bayplan.control.collections import NODES
from bayplan.control.nodes.bound_pods import is_over
from bayplan.control.nodes.taints import patience_s
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import NotFoundError, StaleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.observing import LoopObserver
    from bayplan.control.store import Object, Store

    Bound = tuple[Key, Object]


class Due(NamedTuple):
    """What is to be done now, and in how many seconds there is more to do."""

    evict: list[Bound]
    finish: list[Bound]
    later_s: float | None


def due(pods: Iterable[Bound], taint: str, since_s: float, usual_s: float, now_s: float) -> Due:
    """What is due on a Node that has not been ready since then; `usual_s` is the time that Pods have by default."""
    found = Due([], [], None)
    later = []
    for key, pod in pods:
        if is_over(pod):
            continue
        leaves = "deletionTimestamp" in pod["metadata"]
        patience = usual_s if leaves else patience_s(pod, taint, usual_s)
        if patience is None:
            continue
        due_s = max(since_s + patience, _deletion_s(pod) if leaves else 0.0)
        if due_s <= now_s:
            (found.finish if leaves else found.evict).append((key, pod))
        else:
            later.append(due_s - now_s)
    return found._replace(later_s=min(later, default=None))


def _deletion_s(pod: Object) -> float:
    """When a Pod that is being deleted should be gone."""
    return seconds_of(pod["metadata"]["deletionTimestamp"]) or 0.0


class PodEvictions:
    """Deletes Pods; each is told why."""

    def __init__(self, store: Store, events: EventRecorder, observer: LoopObserver) -> None:
        self._store, self._events, self._observer = store, events, observer

    async def evict(self, node: str, pods: Sequence[Bound]) -> None:
        """Delete with the Pods' own grace: a worker that comes back in time ends them itself."""
        await self._delete(pods, "Evicted", f"its node {node} was not ready for too long")

    async def finish(self, pods: Sequence[Bound]) -> None:
        """End deletions for which no worker is there."""
        await asyncio.gather(*(self._gone(key, pod, 0) for key, pod in pods))

    async def collect(self, node: str, pods: Sequence[Bound]) -> None:
        """Delete the Pods of a Node that is gone; the store knows for sure whether it is."""
        try:
            await self._store.get(Key(NODES, "", node))
        except NotFoundError:
            left = [(key, pod) for key, pod in pods if not is_over(pod)]
            await self._delete(left, "NodeRemoved", f"its node {node} was removed", grace_s=0)

    async def _delete(self, pods: Sequence[Bound], reason: str, message: str, grace_s: int | None = None) -> None:
        graces = [int(pod["spec"].get("terminationGracePeriodSeconds") or 0) for _, pod in pods]
        done = await asyncio.gather(
            *(
                self._gone(key, pod, own_s if grace_s is None else grace_s)
                for (key, pod), own_s in zip(pods, graces, strict=True)
            )
        )
        for (_, pod), gone in zip(pods, done, strict=True):
            if gone:
                self._events.tell(pod, "Warning", reason, message)
        if any(done):
            self._observer.evicted(sum(done), "node-lost")

    async def _gone(self, key: Key, pod: Object, grace_s: int) -> bool:
        try:
            await self._store.delete(key, Deletion(grace_s=grace_s, uid=pod["metadata"]["uid"]))
        except (NotFoundError, StaleError):
            return False
        return True
