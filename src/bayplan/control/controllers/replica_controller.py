"""Keeps as many live Pods as an object asks for: makes the missing ones, deletes those too many, replaces old ones."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Protocol

from bayplan.cluster.identity import WorkloadKey
from bayplan.control.controllers.failures import Failures
from bayplan.control.controllers.references import controlled_by, is_leaving, key_of
from bayplan.control.controllers.surplus import surplus
from bayplan.control.reconciler import Reconciler
from bayplan.library.status.pod_facts import ENDED, PodFacts, PodState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.cache import Seen
    from bayplan.control.controllers.owned_pods import Group
    from bayplan.control.controllers.wish import Wanted, Wish
    from bayplan.control.controllers.world import World
    from bayplan.control.store import Collection, Key, Object

KEPT_ENDED = 3
"""Pods that ended and stay for a look at their logs; older ones are deleted."""
MOST_IN_ONE_GO = 2_000
"""Pods that are made before the owner is looked at again: it may want fewer by then."""
_SOON_S = 0.001
_AWAY_PART = 4  # at most a quarter of the replicas is missing while they are replaced by new ones


class ReplicaKind(Protocol):
    """How one kind of object asks for Pods."""

    collection: Collection
    neighbours: tuple[Collection, ...]
    """Collections whose objects it refers to."""
    keeps_ended: bool
    """Whether Pods that ended are counted, and so must stay."""

    def refers_to(self, owner: Object, neighbour: Key) -> bool:
        """Whether a change of that object may change the wish."""
        ...

    def wish(self, owner: Object) -> Wish:
        """What it asks for now."""
        ...

    def adopts(self, owner: Object, labels: Mapping[str, str]) -> bool:
        """Whether a Pod with these labels, which nothing controls, is one of its own."""
        ...

    def workload(self, owner: Object) -> str:
        """The name under which the planner knows its Pods."""
        ...


class ReplicaController:
    """The loop for one kind."""

    def __init__(self, kind: ReplicaKind, world: World) -> None:
        self._kind, self._world = kind, world
        self._failures = Failures()
        self._keys: Reconciler[Key] = Reconciler(str(kind.collection), self._reconcile, observer=world.observer)
        world.cache.listen(kind.collection, self._owner_seen)
        for each in kind.neighbours:
            world.cache.listen(each, self._neighbour_seen)
        world.pods.listen(kind.collection, self._keys.add)
        world.pods.listen_to_orphans(self._orphan_seen)
        self.add = self._keys.add

    def start(self) -> None:
        self._keys.start()

    async def stop(self) -> None:
        await self._keys.stop()

    async def settled(self) -> None:
        await self._keys.settled()

    def _owner_seen(self, seen: Seen) -> None:
        old, new = seen.old, seen.new
        if new is None or old is None or old["metadata"].get("generation") != new["metadata"].get("generation"):
            self._keys.add(seen.key)
        if new is None and old is not None:
            self._failures.forget(old["metadata"]["uid"])

    def _neighbour_seen(self, seen: Seen) -> None:
        for owner in self._world.cache.all(self._kind.collection):
            if self._kind.refers_to(owner, seen.key):
                self._keys.add(key_of(self._kind.collection, owner))

    def _orphan_seen(self, pod: Object) -> None:
        metadata = pod["metadata"]
        labels = metadata.get("labels") or {}
        if not labels or is_leaving(pod):
            return
        for owner in self._world.cache.all(self._kind.collection, metadata["namespace"]):
            if self._kind.adopts(owner, labels):
                self._keys.add(key_of(self._kind.collection, owner))

    async def _reconcile(self, key: Key) -> float | None:
        owner = self._world.cache.get(key)
        if owner is None or is_leaving(owner):
            return None
        wish = self._kind.wish(owner)
        if wish.problem:
            return None
        await self._adopt(owner)
        uid = owner["metadata"]["uid"]
        doubt_s = await self._world.writer.doubt(self._world.pods.of(uid))
        pause_s = 0.0
        for wanted in wish.sets:
            pause_s = max(pause_s, await self._fill(owner, wanted, whole=len(wish.sets) == 1))
            await self._renew(owner, wanted, together=wish.together)
        await self._clear(owner, {each.role for each in wish.sets})
        waits = [each for each in (doubt_s, pause_s) if each]
        return min(waits, default=None)

    async def _adopt(self, owner: Object) -> None:
        """Take over Pods that nothing controls; the next look counts them."""
        for pod in self._world.pods.orphans(owner["metadata"]["namespace"]):
            labels = pod["metadata"].get("labels") or {}
            ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
            if labels and not ended and not is_leaving(pod) and self._kind.adopts(owner, labels):
                await self._world.writer.adopt(owner, pod, controlled_by(owner))
                self._world.pods.adopted(pod, controlled_by(owner))

    async def _fill(self, owner: Object, wanted: Wanted, *, whole: bool) -> float:
        """Make the number of live Pods right; how long to wait before failed ones are replaced."""
        uid, world = owner["metadata"]["uid"], self._world
        group = world.pods.of(uid)
        live = group.tally.count(lambda facts: _is_live(facts, wanted.role))
        if live > wanted.count:
            await self._shrink(owner, group, wanted, live - wanted.count, whole=whole)
        if live >= wanted.count:
            return 0.0
        now = world.clock()
        self._failures.note(uid, _failed(group), now)
        pause_s = self._failures.pause_s(uid, now)
        if pause_s:
            return pause_s
        missing = wanted.count - live
        await world.writer.create(owner, repeat(wanted.pod, min(missing, MOST_IN_ONE_GO)))
        return _SOON_S if missing > MOST_IN_ONE_GO else 0.0

    async def _shrink(self, owner: Object, group: Group, wanted: Wanted, count: int, *, whole: bool) -> None:
        metadata = owner["metadata"]
        workload = WorkloadKey(metadata["namespace"], self._kind.workload(owner))
        live = list(group.chosen(lambda facts: _is_live(facts, wanted.role)))
        going, reasons = surplus(live, count, workload, self._world.removals, whole=whole)
        await self._world.writer.delete(owner, going, reasons)

    async def _renew(self, owner: Object, wanted: Wanted, *, together: bool) -> None:
        """Delete Pods of an older revision, all at once or a quarter at a time; `_fill` makes their successors."""
        group = self._world.pods.of(owner["metadata"]["uid"])
        if not wanted.revision or not group.tally.count(lambda facts: _is_old(facts, wanted)):
            return
        old = list(group.chosen(lambda facts: _is_old(facts, wanted)))
        ready = group.tally.count(lambda facts: facts.ready and facts.role == wanted.role)
        spare = ready - (wanted.count - max(1, wanted.count // _AWAY_PART))
        going = [pod for pod, facts in old if together or not facts.ready]
        if not together:
            going += [pod for pod, facts in old if facts.ready][: max(0, spare)]
        reasons = {pod["metadata"]["name"]: "replaced by a replica of the present specification" for pod in going}
        await self._world.writer.delete(owner, going, reasons)

    async def _clear(self, owner: Object, roles: set[str]) -> None:
        """Delete Pods of roles that are gone, and all but the last few that ended."""
        group = self._world.pods.of(owner["metadata"]["uid"])
        strangers = [pod for pod, _ in group.chosen(lambda facts: facts.live and facts.role not in roles)]
        await self._world.writer.delete(owner, strangers)
        if not self._kind.keeps_ended and group.tally.state(*ENDED) > KEPT_ENDED:
            ended = [pod for pod, facts in group.chosen(lambda facts: facts.state in ENDED)]
            ended.sort(key=lambda pod: pod["metadata"].get("creationTimestamp", ""))
            await self._world.writer.delete(owner, ended[:-KEPT_ENDED])


def _is_live(facts: PodFacts, role: str) -> bool:
    return facts.live and facts.role == role


def _is_old(facts: PodFacts, wanted: Wanted) -> bool:
    return facts.live and facts.role == wanted.role and bool(facts.revision) and facts.revision != wanted.revision


def _failed(group: Group) -> set[str]:
    return {pod["metadata"]["uid"] for pod, _ in group.chosen(lambda facts: facts.state is PodState.FAILED)}
