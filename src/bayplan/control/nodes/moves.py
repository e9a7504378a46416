"""Replicas of nodes that are drained: another one is made ready elsewhere before the old one goes.

An eviction marks the Pod. Its controller no longer counts it and makes another; when enough others are ready, this loop
deletes the marked one. Where that takes too long the mark goes, and the Pod counts again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from bayplan.control.clock import moment_text, seconds_of
from bayplan.control.collections import NODES, PODS
from bayplan.control.nodes.conditions import is_ready
from bayplan.control.observing import UNOBSERVED
from bayplan.control.reconciler import Reconciler
from bayplan.control.resources.registry import REGISTRY
from bayplan.control.resources.scaling import scale_of
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import NotFoundError, StaleError
from bayplan.manifests.marks import MOVING
from bayplan.manifests.owners import controller_of

if TYPE_CHECKING:
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.clock import Clock
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.observing import LoopObserver
    from bayplan.control.store import Object, Store
    from bayplan.manifests.owners import Who

MOVE_S = 300.0
"""How long another replica may take to be ready; loading a large model takes minutes."""
_MOVABLE = frozenset({("apps", "ReplicaSet"), ("bayplan.io", "Workload"), ("neuronetes.io", "AgentPool")})
"""Controllers whose replicas are alike: one more may run for a while. Members of a StatefulSet have names, Jobs end."""


def owner_of(pod: Object) -> Who | None:
    """The controller that can replace a Pod before it goes; None where it has none."""
    metadata = pod["metadata"]
    owner = controller_of(metadata, metadata["namespace"])
    return owner if owner is not None and (owner.group, owner.kind) in _MOVABLE else None


def moves_since(pod: Object) -> float | None:
    """When the move of a Pod began; None where it is not moved."""
    text = (pod["metadata"].get("annotations") or {}).get(MOVING)
    return None if text is None else seconds_of(text) or 0.0


async def begin_move(store: Store, pod: Object, now_s: float) -> bool:
    """Mark a Pod whose node is drained, unless it is marked; whether it is being moved and must be waited for.

    A Pod that is not ready serves no requests, so it can go at once.
    """
    if owner_of(pod) is None or not is_ready(pod) or "deletionTimestamp" in pod["metadata"]:
        return False
    try:
        node = (await store.get(Key(NODES, "", pod["spec"].get("nodeName") or ""))).document()
    except NotFoundError:
        return False
    since_s = moves_since(pod)
    if since_s is not None:
        return now_s < since_s + MOVE_S
    if not (node.get("spec") or {}).get("unschedulable") or await wanted_replicas(store, pod) is None:
        return False
    await store.patch(_key(pod), lambda live: _marked(live, moment_text(now_s)))
    return True


async def wanted_replicas(store: Store, pod: Object) -> int | None:
    """How many replicas the controller of a Pod wants; None where it is gone, or has no such number."""
    owner = owner_of(pod)
    resource = None if owner is None else REGISTRY.of_kind(owner.group, owner.kind)
    if owner is None or resource is None or resource.subresource("scale") is None:
        return None
    try:
        document = (await store.get(Key(resource.collection, owner.namespace, owner.name))).document()
    except NotFoundError:
        return None
    replicas: int = scale_of(resource, document)["spec"]["replicas"]
    return replicas


class Moves:
    """Finishes moves; it works on the owners of marked Pods."""

    collections = (PODS,)

    def __init__(
        self, store: Store, cache: Cache, events: EventRecorder, clock: Clock, observer: LoopObserver = UNOBSERVED
    ) -> None:
        self._store, self._cache, self._events, self._clock = store, cache, events, clock
        self._observer = observer
        self._marked: dict[Who, dict[Key, Object]] = {}
        self._queue: Reconciler[Who] = Reconciler("moves", self._reconcile)
        cache.listen(PODS, self._seen)

    def start(self) -> None:
        self._queue.start()

    async def stop(self) -> None:
        await self._queue.stop()

    async def settled(self) -> None:
        await self._queue.settled()

    def _seen(self, seen: Seen) -> None:
        pod = seen.new or seen.old
        owner = None if pod is None else owner_of(pod)
        if owner is None:
            return
        if seen.new is not None and moves_since(seen.new) is not None:
            self._marked.setdefault(owner, {})[seen.key] = seen.new
        elif owner in self._marked:
            self._marked[owner].pop(seen.key, None)
            if not self._marked[owner]:
                del self._marked[owner]
        if owner in self._marked:
            self._queue.add(owner)

    async def _reconcile(self, owner: Who) -> float | None:
        """Delete as many marked Pods as others can stand in for; Pods that waited too long count again."""
        marked = [
            each for each in self._marked.get(owner, {}).items() if "deletionTimestamp" not in each[1]["metadata"]
        ]
        if not marked:
            return None
        wanted = await wanted_replicas(self._store, marked[0][1])
        ready = sum(is_ready(each) and owner_of(each) == owner for each in self._staying(owner.namespace))
        spare = len(marked) if wanted is None else ready - wanted
        for key, pod in marked[: max(0, spare)]:
            await self._finish(key, pod)
        return await self._give_up(marked[max(0, spare) :])

    def _staying(self, namespace: str) -> list[Object]:
        return [each for each in self._cache.all(PODS, namespace) if "deletionTimestamp" not in each["metadata"]]

    async def _finish(self, key: Key, pod: Object) -> None:
        try:
            await self._store.delete(key, Deletion(uid=pod["metadata"]["uid"]))
        except (NotFoundError, StaleError):
            return
        node = pod["spec"].get("nodeName")
        self._events.tell(pod, "Normal", "Moved", f"another replica took its place, because node {node} is drained")
        self._observer.evicted(1, "drained")

    async def _give_up(self, marked: list[tuple[Key, Object]]) -> float | None:
        """Take marks away that are too old; the seconds until the next one is."""
        now_s, later = self._clock(), []
        for key, pod in marked:
            left_s = (moves_since(pod) or 0.0) + MOVE_S - now_s
            if left_s > 0:
                later.append(left_s)
                continue
            with suppress(NotFoundError):
                await self._store.patch(key, lambda live: _marked(live, None))
            message = f"no other replica was ready within {MOVE_S:g} s"
            self._events.tell(pod, "Warning", "MoveFailed", message)
        return min(later, default=None)


def _key(pod: Object) -> Key:
    return Key(PODS, pod["metadata"]["namespace"], pod["metadata"]["name"])


def _marked(pod: Object, since: str | None) -> Object:
    annotations = {key: text for key, text in (pod["metadata"].get("annotations") or {}).items() if key != MOVING}
    if since is not None:
        annotations[MOVING] = since
    return {**pod, "metadata": {**pod["metadata"], "annotations": annotations}}
