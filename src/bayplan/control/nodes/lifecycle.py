"""The node loop: silent workers become Unknown, and their Pods move on; deletions are finished where no worker is."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from bayplan.control.clock import moment_text, seconds_of
from bayplan.control.collections import NODES, PODS
from bayplan.control.nodes.bound_pods import BoundPods, is_over
from bayplan.control.nodes.conditions import READY, condition_of, is_ready, with_condition, without_condition
from bayplan.control.nodes.outage import Outage
from bayplan.control.nodes.pod_evictions import PodEvictions, due
from bayplan.control.nodes.registration import HEARD, PROCESS, SIMULATED, identity_of
from bayplan.control.nodes.settings import NodeSettings
from bayplan.control.nodes.taints import NOT_READY, UNREACHABLE, with_taint
from bayplan.control.observing import UNOBSERVED
from bayplan.control.reconciler import Reconciler
from bayplan.control.store import Key
from bayplan.control.store_errors import NotFoundError
from bayplan.manifests.marks import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.clock import Clock
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.nodes.heartbeats import Heartbeats
    from bayplan.control.observing import LoopObserver
    from bayplan.control.store import Object, Store

EVICTIONS_STOPPED = "EvictionsStopped"
"""The condition of Nodes that are not ready while there is a mass outage."""
_SYSTEM: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}}
"""What an event is about that concerns the whole cluster."""
_AT_ONCE = 32  # nodes that are worked on together, so that their writes share commits

_log = logging.getLogger("bayplan.control.nodes")


class NodeLifecycle:
    """Keeps conditions and taints of Nodes in step with heartbeats, and clears up where no worker does.

    After its start every worker has the whole time again in which it must be heard.
    """

    collections = (NODES, PODS)

    def __init__(
        self,
        store: Store,
        cache: Cache,
        events: EventRecorder,
        clock: Clock,
        *,
        heartbeats: Heartbeats,
        settings: NodeSettings | None = None,
        observer: LoopObserver = UNOBSERVED,
    ) -> None:
        self._store, self._cache, self._events, self._clock = store, cache, events, clock
        self._heartbeats, self._observer = heartbeats, observer
        self._settings = settings or NodeSettings()
        self._outage = Outage(self._settings.outage_share)
        self._evictions = PodEvictions(store, events, observer)
        self.pods = BoundPods()
        self._missing: dict[str, float] = {}  # since when Pods name a Node that is not there
        self._queue: Reconciler[str] = Reconciler("nodes", self._reconcile, at_once=_AT_ONCE)
        self._sweep: asyncio.Task[None] | None = None
        cache.listen(NODES, self._node)
        cache.listen(PODS, self._pod)
        heartbeats.listen(self._queue.add)

    def start(self) -> None:
        self._queue.start()
        self._sweep = asyncio.create_task(self._sweeps(), name="nodes sweep")

    async def stop(self) -> None:
        if self._sweep is not None:
            self._sweep.cancel()
            await asyncio.gather(self._sweep, return_exceptions=True)
        await self._queue.stop()

    async def settled(self) -> None:
        """Until all that is known is acted on; what is due later does not count."""
        await self._queue.settled()

    def _node(self, seen: Seen) -> None:
        name, served = seen.key.name, seen.new is not None and is_served(seen.new)
        if seen.new is None:
            self._heartbeats.dismiss(name, identity_of(seen.old))
            self._missing[name] = 0.0  # it was there: nothing has to be waited for
        elif served:
            self._heartbeats.expect(name)
        else:
            self._heartbeats.forget(name)
        self._observe(seen)
        if seen.old is None or seen.new is None or (served and not is_ready(seen.new)):
            self._queue.add(name)

    def _observe(self, seen: Seen) -> None:
        if seen.old is None or seen.new is None:
            self._observer.node_changed("removed" if seen.new is None else "added")
        elif is_ready(seen.old) is not is_ready(seen.new):
            self._observer.node_changed("ready" if is_ready(seen.new) else "not-ready")

    def _pod(self, seen: Seen) -> None:
        self.pods.take(seen)
        pod = seen.new
        name = None if pod is None else pod["spec"].get("nodeName")
        if pod is None or not name or is_over(pod):
            return
        node = self._cache.get(Key(NODES, "", name))
        attended = node is not None and is_served(node) and is_ready(node)
        bound = seen.old is None or not seen.old["spec"].get("nodeName")
        if not attended and (bound or "deletionTimestamp" in pod["metadata"]):
            self._queue.add(name)

    async def _sweeps(self) -> None:
        while True:
            for name in self._heartbeats.fall_silent(self._settings.silence_s):
                self._queue.add(name)
            if self._outage.look(self._heartbeats.silent, self._heartbeats.expected, self._clock()):
                self._tell_outage()
            await asyncio.sleep(self._settings.sweep_s)

    def _tell_outage(self) -> None:
        began = self._outage.active
        reason = "MassOutage" if began else "MassOutageOver"
        self._events.tell(_SYSTEM, "Warning" if began else "Normal", reason, self._outage.message)
        _log.log(logging.WARNING if began else logging.INFO, "%s", self._outage.message)
        for node in self._cache.all(NODES):
            if is_served(node) and not is_ready(node):
                self._queue.add(node["metadata"]["name"])

    async def _reconcile(self, name: str) -> float | None:
        node = self._cache.get(Key(NODES, "", name))
        if node is None:
            return await self._collect(name)
        self._missing.pop(name, None)
        if not is_served(node):
            await self._evictions.finish(self.pods.leaving(name))
            return None
        taint = await self._judge(name, node)
        return await self._evict(name, node, taint) if taint else None

    async def _collect(self, name: str) -> float | None:
        """Delete the Pods of a Node that is gone; one that was never seen has some time to appear."""
        now_s, pods = self._clock(), self.pods.of(name)
        since_s = self._missing.setdefault(name, now_s)
        if pods and now_s < since_s + self._settings.silence_s:
            return since_s + self._settings.silence_s - now_s
        await self._evictions.collect(name, pods)
        del self._missing[name]
        return None

    async def _judge(self, name: str, node: Object) -> str:
        """Write what is known about the worker, where it is new; the taint of a Node that is not ready."""
        told, silent = self._heartbeats.told(name), self._heartbeats.is_silent(name)
        if silent:
            message = f"the worker was not heard for {self._settings.silence_s:g} s"
            status, reason, taint = "Unknown", "WorkerSilent", UNREACHABLE
        elif told is None:  # it has time yet: what was written last still counts
            return ""
        elif told.leaving:
            status, reason, message, taint = "False", "WorkerStopped", "the worker was stopped", NOT_READY
        else:
            (status, reason, message), taint = HEARD, ""
        condition = {"type": READY, "status": status, "reason": reason, "message": message}
        changed = condition_of(node, READY).get("status") != status
        await self._write(name, node, condition, taint)
        if changed:
            self._events.tell(node, "Warning" if taint else "Normal", reason, f"Node {name}: {message}")
        if taint:
            await self._unready(name)
        return taint

    async def _write(self, name: str, node: Object, condition: dict[str, str], taint: str) -> None:
        """One write for the status and one for the taints, each only where something changes."""
        now = moment_text(self._clock())
        key = Key(NODES, "", name)

        def judged(live: Object) -> Object:
            new = with_condition(live, condition, now)
            if not (taint and self._outage.active):
                return without_condition(new, EVICTIONS_STOPPED)
            stopped = {"type": EVICTIONS_STOPPED, "status": "True", "reason": "MassOutage"}
            return with_condition(new, stopped | {"message": "too many workers are silent at once"}, now)

        writes = []
        if judged(node) != node:
            writes.append(self._store.patch(key, judged, subresource="status"))
        if with_taint(node, taint, now) is not node:
            writes.append(self._store.patch(key, lambda live: with_taint(live, taint, now)))
        await asyncio.gather(*writes)

    async def _unready(self, name: str) -> None:
        """Pods of a worker that is not heard get no more requests."""
        now = moment_text(self._clock())
        condition = {"type": READY, "status": "False", "reason": "NodeNotReady", "message": f"node {name} is not ready"}
        ready = [key for key, pod in self.pods.of(name) if is_ready(pod)]
        await asyncio.gather(
            *(self._patch_pod(key, lambda live: with_condition(live, condition, now)) for key in ready)
        )

    async def _patch_pod(self, key: Key, change: Callable[[Object], Object]) -> None:
        try:
            await self._store.patch(key, change, subresource="status")
        except NotFoundError:
            return

    async def _evict(self, name: str, node: Object, taint: str) -> float | None:
        """Delete Pods whose time is up, and finish deletions; the seconds until there is more to do."""
        if self._outage.active:
            return None
        now_s = self._clock()
        live = self._cache.get(Key(NODES, "", name)) or node
        ready = condition_of(live, READY)
        since_s = now_s if ready.get("status") == "True" else seconds_of(ready.get("lastTransitionTime")) or now_s
        found = due(self.pods.of(name), taint, max(since_s, self._outage.ended_s), self._settings.eviction_s, now_s)
        await self._evictions.finish(found.finish)
        await self._evictions.evict(name, found.evict)
        return found.later_s


def is_served(node: Object) -> bool:
    """Whether a worker runs the Pods of this Node, and must be heard."""
    return (node["metadata"].get("labels") or {}).get(RUNTIME) in (PROCESS, SIMULATED)
