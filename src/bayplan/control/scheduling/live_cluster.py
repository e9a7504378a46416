"""The scheduler's own view of Nodes and Pods: nouns in a followed cluster, kept up to date from the cache.

A Node that changed, or a Pod that was bound by others, makes its worker *dirty*; `refresh` reads anew what the worker
is and holds. What Bayplan bound itself is recognised by its annotation and costs nothing.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.events import BOOKING_ADDED, BOOKING_REMOVED, WORKER_ADDED
from bayplan.control.clock import seconds_of
from bayplan.control.collections import NODES, PODS, PRIORITY_CLASSES, RESOURCE_TOPOLOGIES
from bayplan.control.scheduling.live_budgets import BUDGETS_CHANGED, LiveBudgets
from bayplan.control.scheduling.pod_holdings import PodHoldings
from bayplan.control.scheduling.pod_places import is_over, is_unbound, node_of, told_text
from bayplan.control.scheduling.worker_events import events_between
from bayplan.control.store import Key
from bayplan.framework.errors import BayplanError
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.marks import SHARD
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.identity import WorkloadKey
    from bayplan.cluster.worker import Worker
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.store import Object
    from bayplan.manifests.inventory.inventory import Inventory
    from bayplan.manifests.workloads.priority_class import PriorityClass
    from bayplan.placement.decision.followed_cluster import FollowedCluster

    MakeState = Callable[[Cluster], FollowedCluster]

PATIENCE_S = 60.0
"""How long beyond its grace a Pod may take to be gone."""
MOST_PRIORITY = 2**31 - 1
"""Of bookings that nothing evicts."""
_log = logging.getLogger("bayplan.scheduling")


class LiveCluster:
    """Follows the cache; `state` is what the planner plans on. One loop owns it, and calls `refresh` between plans."""

    collections = (NODES, PRIORITY_CLASSES, RESOURCE_TOPOLOGIES, *LiveBudgets.collections)

    def __init__(self, cache: Cache, make_state: MakeState, changed: Callable[[], None]) -> None:
        """`changed` is called when `refresh` has something to do."""
        self._cache, self._changed, self._make_state = cache, changed, make_state
        self.state = make_state(Cluster())
        self.pods = PodHoldings()
        self.unreadable: dict[str, str] = {}
        """Why a Node is left out, by its name."""
        self.worker_changed: Callable[[Worker, Worker], None] = _ignore
        """Called with a worker as it was and as it is, while its Pods are still held on the old one."""
        self.readable: Callable[[str, str], None] = _ignore
        """Called with the name of a Node and why it is left out, or with no reason when it can be read again."""
        self._pods_on: dict[str, set[PodName]] = {}
        self._going: set[PodName] = set()  # being deleted
        self._foreign: dict[WorkloadKey, dict[PodName, int]] = {}
        self._dirty: dict[str, None] = {}  # a set in order
        self._events: set[str] = set()
        self._classes_stale = True
        self._classes: tuple[PriorityClass, ...] = ()
        self._budgets = LiveBudgets(cache, self._budgets_changed)
        cache.listen(NODES, self._node_seen)
        cache.listen(RESOURCE_TOPOLOGIES, self._node_seen)
        cache.listen(PODS, self._pod_seen)
        cache.listen(PRIORITY_CLASSES, self._class_seen)

    def load(self) -> None:
        """Read everything at once, at the start. Where that fails, workers are read singly, and bad ones left out."""
        pods = [each for each in self._cache.all(PODS) if node_of(each)]
        try:
            found = self._read([*self._cache.all(NODES), *self._cache.all(RESOURCE_TOPOLOGIES), *pods])
        except BayplanError:
            return
        bookings = self._numbered(found)
        self.state = self._make_state(Cluster(found.cluster.workers, tuple(bookings.values())))
        for name, booking in bookings.items():
            self.pods.set(name, booking, told_text(self._cache.get(Key(PODS, *name))))
        self._dirty.clear()
        self._events.add(WORKER_ADDED)

    def refresh(self) -> set[str]:
        """Take in all that changed; the names of the cluster events that this was.

        Workers that come or go are taken in together: each such change makes a new table.
        """
        while self._dirty:
            names = list(self._dirty)
            found = {name: self._read_worker(name) for name in names}
            gone = [name for name, read in found.items() if read is None and name in self.state.workers]
            if gone:
                self.state.remove_workers(gone)
            self._take([read for read in found.values() if read is not None])
            for name in names:  # only now: whatever goes wrong, nothing is forgotten
                del self._dirty[name]
        events, self._events = self._events, set()
        return events

    def assume(self, pods: Mapping[PodName, tuple[Booking, str]]) -> None:
        """The ledger has booked this for Pods that are about to be bound, with these texts as annotations."""
        for name, (booking, text) in pods.items():
            self._release(name)  # what an earlier decision about it left, if any
            self.pods.set(name, booking, text)
            self.pods.assumed.add(name)

    def confirm(self, pods: Iterable[tuple[PodName, str | None]]) -> None:
        """These Pods, with these uids, are bound in the store. The cache may know less than that, or already more.

        A uid of None is that of a Pod which was made for the decision: the cache may not have seen it yet.
        """
        for name, uid in pods:
            if name not in self.pods.assumed:
                continue  # seen as bound
            pod = self._cache.get(Key(PODS, *name))
            if pod is None:
                is_gone = uid is not None
            else:
                is_gone = pod["metadata"]["uid"] != (uid or pod["metadata"]["uid"]) or is_over(pod)
            if is_gone:
                self._release(name)
            else:
                self.pods.bound.add(name)

    def unassume(self, pods: Iterable[PodName]) -> None:
        """Give back what was assumed for Pods that were not bound after all."""
        for name in pods:
            if name in self.pods.assumed:
                self._release(name)
        self._changed()

    def expel(self, pods: Iterable[PodName]) -> None:
        """A plan takes the place of these Pods in the ledger; until they are gone they hold it as well.

        So what the plan does not need of it, such as the places of other members of a victim's gang, is not free yet.
        """
        for name in pods:
            if (booking := self.pods.get(name)) is not None:
                self.pods.leaving[name] = booking
                self.state.admit((booking,))

    def spare(self, pods: Iterable[PodName]) -> None:
        """Pods were to make room, and need not any more."""
        for name in pods:
            self.pods.leaving.pop(name, None)
        self._changed()

    def is_shard(self, pod: PodName) -> bool:
        """Whether a Pod is a further part of a replica, which goes with the replica's first Pod."""
        found = self._cache.get(Key(PODS, *pod))
        return found is not None and SHARD in (found["metadata"].get("labels") or {})

    def is_going(self, pod: PodName) -> bool:
        """Whether a Pod is being deleted, or will be in a moment."""
        return pod in self._going or pod in self.pods.leaving

    def is_taken(self, shard: PodName) -> bool:
        """Whether a Pod that is no shard without a place has this name."""
        found = self._cache.get(Key(PODS, *shard))
        return found is not None and not (self.is_shard(shard) and is_unbound(found))

    def terminating(self, now: float) -> dict[Booking, float]:
        """What Pods hold that are being deleted or will be in a moment, and how many seconds they may still take."""
        found = dict.fromkeys(self.pods.leaving.values(), PATIENCE_S)
        for _, booking, left_s in self._leaving(now):
            if left_s > 0:
                found.setdefault(booking, left_s)
        return found

    def pin_stuck(self, now: float) -> None:
        """A Pod that is still there long after its grace cannot make room: no plan should choose it or wait for it."""
        for name, booking, left_s in self._leaving(now):
            if left_s <= 0 and booking.priority < MOST_PRIORITY and name not in self.pods.leaving:
                pinned = replace(booking, priority=MOST_PRIORITY)
                self.state.release((booking,))
                self.state.admit((pinned,))
                self.pods.set(name, pinned, self.pods.text_of(name))

    def _leaving(self, now: float) -> Iterator[tuple[PodName, Booking, float]]:
        """Pods that are being deleted, what they hold, and how many seconds of patience are left."""
        for name in sorted(self._going):
            pod, booking = self._cache.get(Key(PODS, *name)), self.pods.get(name)
            if pod is not None and booking is not None:
                yield name, booking, (seconds_of(pod["metadata"]["deletionTimestamp"]) or now) + PATIENCE_S - now

    def is_settled(self, worker: str) -> bool:
        """Whether all that is known about a worker and its Pods is in the ledger."""
        return worker not in self._dirty

    def bound_pods(self, worker: str) -> set[PodName]:
        """The Pods that hold something on a worker, as the cache has them."""
        return self._pods_on.get(worker, set())

    def priority_classes(self) -> tuple[PriorityClass, ...]:
        """The PriorityClasses of the cluster."""
        if self._classes_stale:
            self._classes_stale = False
            try:
                self._classes = self._read(self._cache.all(PRIORITY_CLASSES)).priority_classes
            except BayplanError as error:
                _log.warning("the PriorityClasses cannot be read: %s", error)
        return self._classes

    def follow_budgets(self) -> None:
        """Work out how many replicas of each workload must stay; to be called before a plan that may evict."""
        self.state.set_budgets(self._budgets.current())

    def _node_seen(self, seen: Seen) -> None:
        self._dirty[seen.key.name] = None
        self._changed()

    def _budgets_changed(self) -> None:
        self._events.add(BUDGETS_CHANGED)
        self._changed()

    def _class_seen(self, _: Seen) -> None:
        self._classes_stale = True
        self._changed()

    def _pod_seen(self, seen: Seen) -> None:
        name = (seen.key.namespace, seen.key.name)
        before, after = node_of(seen.old), node_of(seen.new)
        if before and before != after:
            self._gone_from(before, name)
        if after and seen.new is not None and "deletionTimestamp" in seen.new["metadata"]:
            self._going.add(name)
        else:
            self._going.discard(name)
        if not after:
            self.pods.leaving.pop(name, None)
            if name not in self.pods.assumed or (name in self.pods.bound and not is_unbound(seen.new)):
                self._release(name)  # any other assumed Pod that is gone fails to be bound, and is released then
            return
        self._pods_on.setdefault(after, set()).add(name)
        self._hold(name, after, seen.new)

    def _hold(self, name: PodName, worker: str, pod: Object | None) -> None:
        """A Pod is bound; what is not known of it is read when the cluster is refreshed."""
        self.pods.seen_bound(name)
        held = self.pods.get(name)
        if held is not None and held.worker != worker:
            self._release(name)  # another scheduler was first
        priority = pod["spec"].get("priority") if pod else None
        if not self.pods.is_known(name, worker, told_text(pod), priority):
            self._dirty[worker] = None
            self._changed()

    def _gone_from(self, worker: str, pod: PodName) -> None:
        pods = self._pods_on.get(worker)
        if pods is not None:
            pods.discard(pod)
            if not pods:
                del self._pods_on[worker]

    def _release(self, pod: PodName) -> None:
        booking = self.pods.drop(pod)
        if booking is None:
            return
        self.state.release((booking,))
        if (numbers := self._foreign.get(booking.key)) is not None:
            numbers.pop(pod, None)
            if not numbers:
                del self._foreign[booking.key]
        self._events.add(BOOKING_REMOVED)
        self._changed()

    def _read_worker(self, name: str) -> Inventory | None:
        """A worker and its Pods, read anew; None where it is gone or cannot be read, so that it gets no new work."""
        node = self._cache.get(Key(NODES, "", name))
        if node is None:
            self.unreadable.pop(name, None)
            return None
        topology = self._cache.get(Key(RESOURCE_TOPOLOGIES, "", name))
        names = sorted(self._pods_on.get(name, ()))
        pods = [pod for each in names if (pod := self._cache.get(Key(PODS, *each))) is not None]
        described = [node, *([topology] if topology else ())]
        try:
            try:
                found = self._read([*described, *pods])
            except BayplanError:
                self._read(described)  # one Pod that cannot be read must not cost a worker
                found = self._read([*described, *(each for each in pods if self._is_readable(described, each))])
        except Exception as error:  # a mistake of ours must not cost all other workers, either
            problem = str(error) if isinstance(error, BayplanError) else type(error).__name__
            if self.unreadable.get(name) != problem:
                _log.warning("Node %s is left out: %s", name, problem, exc_info=not isinstance(error, BayplanError))
                self.unreadable[name] = problem
                self.readable(name, problem)
            return None
        if self.unreadable.pop(name, None) is not None:
            self.readable(name, "")
        return found

    def _is_readable(self, described: list[Object], pod: Object) -> bool:
        try:
            self._read([*described, pod])
        except BayplanError as error:
            _log.warning("what a Pod holds is not counted: %s", error)
            return False
        return True

    def _take(self, found: Sequence[Inventory]) -> None:
        """Bring workers and the ledger in line with what was read."""
        changed = []
        for each in found:
            (worker,) = each.cluster.workers
            old = self.state.workers.get(worker.name)
            if old != worker:
                self._events |= events_between(old, worker)
                changed.append((old, worker))
        if changed:
            self.state.set_workers([worker for _, worker in changed])
        for each in found:
            self._settle(each.cluster.workers[0].name, self._numbered(each))
        for old, worker in changed:
            try:
                if old is not None:
                    self.worker_changed(old, worker)
            except Exception:
                _log.exception("a change of worker %s is not judged", worker.name)

    def _settle(self, worker: str, bookings: Mapping[PodName, Booking]) -> None:
        """Make the ledger hold just these bookings of Pods on a worker, beside what is assumed."""
        for entry in self.state.ledger.held_on(worker):
            pod = self.pods.pod_of(entry.booking)
            if pod is not None and pod not in self.pods.assumed and bookings.get(pod) != entry.booking:
                self._release(pod)
        fresh = {pod: booking for pod, booking in bookings.items() if self.pods.get(pod) is None}
        if fresh:
            self.state.admit(fresh.values())
            self._events.add(BOOKING_ADDED)
        for pod, booking in bookings.items():
            if pod in fresh:
                self.pods.set(pod, booking, told_text(self._cache.get(Key(PODS, *pod))))

    def _numbered(self, found: Inventory) -> dict[PodName, Booking]:
        """The bookings of Pods. Others' Pods name no replica: each keeps the first free number that it was given."""
        bookings: dict[PodName, Booking] = {}
        for name, booking in found.pods:
            if told_text(self._cache.get(Key(PODS, *name))):
                bookings[name] = booking
                continue
            numbers = self._foreign.setdefault(booking.key, {})
            if name not in numbers:
                taken = {*numbers.values(), *(each.replica for each in self.state.ledger.held_by_workload(booking.key))}
                numbers[name] = next(number for number in range(len(taken) + 1) if number not in taken)
            bookings[name] = replace(booking, replica=numbers[name])
        return bookings

    @staticmethod
    def _read(objects: Iterable[Object]) -> Inventory:
        named = [Document(each, _name_of(each)) for each in objects]
        return read_inventory(named)


def _name_of(document: Object) -> str:
    metadata = document.get("metadata") or {}
    inside = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{document['kind']} {inside}{metadata.get('name', '')}"


def _ignore(*_: object) -> None:
    """Until somebody wants to hear of it."""
