"""Carries out a decision: plugins are asked, victims go, cards are cut, then all Pods are bound by one write."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.clock import moment_text
from bayplan.control.collections import NODES, PODS
from bayplan.control.failpoints import failpoint
from bayplan.control.observing import Phase
from bayplan.control.scheduling.live_cluster import PATIENCE_S
from bayplan.control.scheduling.points import Allow, DeniedError, Deny
from bayplan.control.scheduling.shard_pods import ShardPods
from bayplan.control.store import Deletion, Key
from bayplan.control.store_errors import NotFoundError, StaleError, StoreError
from bayplan.manifests.marks import MIG_WANTED, PREEMPTED_BY

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.clock import Clock
    from bayplan.control.event_recorder import EventRecorder
    from bayplan.control.observing import LoopObserver
    from bayplan.control.scheduling.decision import Decision
    from bayplan.control.scheduling.live_cluster import LiveCluster
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.scheduling.points import Points
    from bayplan.control.store import Object, Store
    from bayplan.placement.cards.mig.reconfigurations import Reconfiguration

GRACE_S = 30
"""What a victim gets to finish where it does not say: as in Kubernetes."""

_ENDED = ("Succeeded", "Failed")
_log = logging.getLogger("bayplan.scheduling")


class Execution:
    """One for all decisions; each is carried out in a task of its own."""

    def __init__(
        self, store: Store, cache: Cache, live: LiveCluster, events: EventRecorder, clock: Clock,
        observer: LoopObserver,
    ) -> None:  # fmt: skip
        self._store, self._cache, self._live = store, cache, live
        self._events, self._clock, self._observer = events, clock, observer
        self._shards = ShardPods(store, cache)
        self._gone: dict[PodName, asyncio.Future[None]] = {}
        cache.listen(PODS, self._pod_seen)

    async def carry_out(self, decision: Decision, points: Points) -> None:
        """Until all Pods are bound; DeniedError or a StoreError where that does not happen."""
        begun = time.perf_counter()
        await self._permit(decision, points)
        if decision.victims:
            await self._preempt(decision)
        if decision.plan.reconfigurations:
            await self._cut(decision.plan.reconfigurations)
        uids = await self._shards.make(decision)
        for plugin in points.pre_bind:
            await plugin.pre_bind(decision)
        failpoint("scheduler-reserved")
        reserved = time.perf_counter()
        self._observer.passed(Phase.RESERVE, reserved - begun)
        await self._store.bind([each.binding(uids.get(each.name)) for each in decision.pods])
        self._observer.passed(Phase.COMMIT, time.perf_counter() - reserved)
        failpoint("scheduler-bound")

    async def undo(self, decision: Decision) -> None:
        """Give back what was reserved; Pods that were made for it are deleted, and no card is cut for it any more."""
        self._live.unassume(each.name for each in decision.pods)
        self._live.spare(decision.victims)
        await self._shards.delete(decision)
        for worker, cuts in _by_worker(decision.plan.reconfigurations).items():
            try:
                await self._store.patch(Key(NODES, "", worker), lambda old, cuts=cuts: _wanting(old, [], cuts))  # type: ignore[misc]
            except StoreError as error:
                _log.info("Node %s is still asked to cut cards: %s", worker, error)

    async def _permit(self, decision: Decision, points: Points) -> None:
        for plugin in points.permit:
            begun = self._clock()
            while not isinstance(answer := plugin.permit(decision), Allow):
                if isinstance(answer, Deny):
                    raise DeniedError(answer.reason)
                if self._clock() - begun >= answer.timeout_s:
                    raise DeniedError(answer.reason or f"it was not permitted within {answer.timeout_s:g} s")
                await asyncio.sleep(plugin.poll_s)

    async def _preempt(self, decision: Decision) -> None:
        """Stop the victims, all at once so that their writes share commits, and wait until they are gone."""
        self._check_wanted(decision)
        loop = asyncio.get_running_loop()
        reasons = {_held(victim.booking): victim.reason for victim in decision.plan.victims}
        waits: list[tuple[PodName, asyncio.Future[None], float]] = []
        stops: list[Awaitable[None]] = []
        for name in decision.victims:
            pod = self._cache.get(Key(PODS, *name))
            if pod is None:
                continue
            grace_s = _grace_s(pod)
            future = self._gone.setdefault(name, loop.create_future())
            waits.append((name, future, grace_s + PATIENCE_S))
            booking = self._live.pods.leaving.get(name)
            reason = "" if booking is None else reasons.get(_held(booking), "")
            stops.append(self._stop(name, pod, decision, reason, grace_s))
        for result in await asyncio.gather(*stops, return_exceptions=True):
            if isinstance(result, BaseException):
                raise result
        self._observer.preempted(len(waits))
        failpoint("scheduler-preempting")
        begun = loop.time()
        for name, future, patience_s in waits:
            try:
                async with asyncio.timeout_at(begun + patience_s):
                    await asyncio.shield(future)
            except TimeoutError:
                message = f"the victim {name[0]}/{name[1]} is still there after {patience_s:g} s"
                raise DeniedError(message) from None

    def _check_wanted(self, decision: Decision) -> None:
        """StaleError where a Pod went since the decision: no victim is stopped for what cannot be bound."""
        for each in decision.pods:
            pod = self._cache.get(Key(PODS, *each.name))
            if each.shard is None and (pod is None or "deletionTimestamp" in pod["metadata"]):
                raise StaleError("was deleted before others made room for it", place="/".join(each.name))

    async def _stop(self, name: PodName, pod: Object, decision: Decision, reason: str, grace_s: int) -> None:
        """Tell a victim why, on the object and as an event, and delete it with its grace."""
        key, now, uid = Key(PODS, *name), moment_text(self._clock()), pod["metadata"]["uid"]
        by, owner = _preemptor(decision, name[0])
        message = f"makes room for {owner}: {reason}" if reason else f"makes room for {owner}"
        try:
            await self._store.patch(key, lambda old: _annotated(_same(old, key, uid), PREEMPTED_BY, by))
            await self._store.patch(
                key, lambda old: _disrupted(_same(old, key, uid), message, now), subresource="status"
            )
            await self._store.delete(key, Deletion(grace_s=grace_s, uid=uid))
        except NotFoundError:
            self._resolve(name)
        self._events.tell(pod, "Warning", "Preempted", message)

    async def _cut(self, cuts: Sequence[Reconfiguration]) -> None:
        """Ask workers to cut idle cards into other MIG instances, and wait until their Nodes say so."""
        for worker, more in _by_worker(cuts).items():
            await self._store.patch(Key(NODES, "", worker), lambda old, more=more: _wanting(old, more))  # type: ignore[misc]
        begun = self._clock()
        while missing := [each for each in cuts if not self._is_cut(each)]:
            if self._clock() - begun > PATIENCE_S:
                message = f"{missing[0]}, but worker {missing[0].worker} did not do it within {PATIENCE_S:g} s"
                raise DeniedError(message)
            await asyncio.sleep(0.2)
        self._observer.cards_reconfigured(len(cuts))

    def _is_cut(self, cut: Reconfiguration) -> bool:
        worker = self._live.state.workers.get(cut.worker)
        gpu = None if worker is None else worker.gpu(cut.card)
        return gpu is not None and gpu.mig is not None and set(cut.create) <= set(gpu.mig.slices)

    def _pod_seen(self, seen: Seen) -> None:
        if seen.new is None or (seen.new.get("status") or {}).get("phase") in _ENDED:
            self._resolve((seen.key.namespace, seen.key.name))

    def _resolve(self, name: PodName) -> None:
        if (future := self._gone.pop(name, None)) is not None and not future.done():
            future.set_result(None)


def _grace_s(pod: Object) -> int:
    own = pod["spec"].get("terminationGracePeriodSeconds")
    return own if isinstance(own, int) else GRACE_S


def _same(pod: Object, key: Key, uid: str) -> Object:
    """The Pod, if it is the one that is meant: another one of its name must not fall for it."""
    if pod["metadata"]["uid"] != uid:
        raise NotFoundError("is another Pod by now", place=str(key))
    return pod


def _by_worker(cuts: Iterable[Reconfiguration]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for each in cuts:
        found.setdefault(each.worker, []).append(each.as_dict())
    return found


def _held(booking: Booking) -> tuple[str, str, int, str]:
    """What tells bookings apart."""
    return booking.namespace, booking.workload, booking.replica, booking.worker


def _wanting(node: Object, more: list[dict[str, Any]], less: Sequence[dict[str, Any]] = ()) -> Object:
    """The Node with more or fewer cards to cut; what other decisions want of it, and is not done yet, stays."""
    metadata = node["metadata"]
    text = (metadata.get("annotations") or {}).get(MIG_WANTED)
    try:
        wanted = orjson.loads(text) if text else []
    except orjson.JSONDecodeError:
        wanted = []
    others = [each for each in wanted if each not in more and each not in less] if isinstance(wanted, list) else []
    if others or more:
        return _annotated(node, MIG_WANTED, orjson.dumps([*others, *more]).decode())
    if text is not None:
        metadata["annotations"] = {key: value for key, value in metadata["annotations"].items() if key != MIG_WANTED}
    return node


def _preemptor(decision: Decision, namespace: str) -> tuple[str, str]:
    """For the annotation, and for people; a namespace does not learn names of others: the record stands for them."""
    if decision.unit.namespace == namespace:
        name = f"{decision.unit.namespace}/{decision.unit.name}"
        return name, name
    return decision.record, f"a workload of another namespace (record {decision.record})"


def _annotated(document: Object, key: str, value: str) -> Object:
    metadata = document["metadata"]
    metadata["annotations"] = {**(metadata.get("annotations") or {}), key: value}
    return document


def _disrupted(document: Object, message: str, now: str) -> Object:
    status = document.setdefault("status", {})
    others = [each for each in status.get("conditions") or () if each.get("type") != "DisruptionTarget"]
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "PreemptionByScheduler",
        "message": message,
        "lastTransitionTime": now,
    }
    status["conditions"] = [*others, condition]
    return document
