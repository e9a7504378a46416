"""StatefulSets: Pods with fixed names NAME-0, NAME-1 …, one after the other or all at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bayplan.control.collections import STATEFUL_SETS
from bayplan.control.controllers.failures import Failures
from bayplan.control.controllers.pod_templates import new_pod
from bayplan.control.controllers.references import controlled_by, is_leaving, key_of
from bayplan.control.controllers.selectors import selects
from bayplan.control.controllers.wish import digest_of, label_value, plain
from bayplan.control.reconciler import Reconciler
from bayplan.control.store_errors import AlreadyExistsError
from bayplan.library.status.documents import number, part
from bayplan.library.status.pod_facts import ENDED, PodState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.cache import Seen
    from bayplan.control.controllers.world import World
    from bayplan.control.store import Key, Object
    from bayplan.library.status.pod_facts import PodFacts

    Members = dict[int, tuple[Object, PodFacts]]
    """Pods by ordinal."""

_ORDINAL = re.compile(r"(?P<name>.+)-(?P<number>0|[1-9][0-9]{0,8})")
_CLASH_S = 10.0  # pause after another Pod was found under the name of a member


class StatefulSetController:
    """The loop for StatefulSets."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._failures = Failures()
        self._keys: Reconciler[Key] = Reconciler(str(STATEFUL_SETS), self._reconcile, observer=world.observer)
        world.cache.listen(STATEFUL_SETS, self._seen)
        world.pods.listen(STATEFUL_SETS, self._keys.add)
        world.pods.listen_to_orphans(self._orphan_seen)

    def start(self) -> None:
        self._keys.start()

    async def stop(self) -> None:
        await self._keys.stop()

    async def settled(self) -> None:
        await self._keys.settled()

    def _seen(self, seen: Seen) -> None:
        self._keys.add(seen.key)
        if seen.new is None and seen.old is not None:
            self._failures.forget(seen.old["metadata"]["uid"])

    def _orphan_seen(self, pod: Object) -> None:
        for each in self._world.cache.all(STATEFUL_SETS, pod["metadata"]["namespace"]):
            if _is_own(each, pod):
                self._keys.add(key_of(STATEFUL_SETS, each))

    async def _reconcile(self, key: Key) -> float | None:
        owner = self._world.cache.get(key)
        if owner is None or is_leaving(owner):
            return None
        for pod in self._world.pods.orphans(key.namespace):
            if _is_own(owner, pod) and not is_leaving(pod):
                await self._world.writer.adopt(owner, pod, controlled_by(owner))
                self._world.pods.adopted(pod, controlled_by(owner))
        doubt_s = await self._world.writer.doubt(self._world.pods.of(owner["metadata"]["uid"]))
        later_s = await self._step(owner)
        return later_s if doubt_s is None else min(doubt_s, later_s or doubt_s)

    async def _step(self, owner: Object) -> float | None:
        spec = part(owner, "spec")
        first = number(part(spec, "ordinals").get("start"))
        wanted = range(first, first + number(spec.get("replicas"), 1))
        members = self._members(owner)
        failed = {pod["metadata"]["uid"] for pod, facts in members.values() if facts.state is PodState.FAILED}
        self._failures.note(owner["metadata"]["uid"], failed, self._world.clock())
        if spec.get("podManagementPolicy") == "Parallel":
            pause_s, whole = await self._all_at_once(owner, members, wanted)
        else:
            pause_s, whole = await self._one_by_one(owner, members, wanted)
        if whole:
            await self._renew(owner, members, wanted)
        return pause_s

    def _members(self, owner: Object) -> Members:
        group = self._world.pods.of(owner["metadata"]["uid"])
        found = {}
        for (_, name), facts in group.facts.items():
            if (ordinal := ordinal_of(owner["metadata"]["name"], name)) is not None:
                found[ordinal] = group.pods[owner["metadata"]["namespace"], name], facts
        return found

    async def _all_at_once(self, owner: Object, members: Members, wanted: range) -> tuple[float | None, bool]:
        """Delete what is too much or has ended, make what is missing; whether nothing was to be done."""
        going = [pod for each, (pod, facts) in members.items() if _must_go(each, facts, wanted)]
        await self._world.writer.delete(owner, going)
        missing = [each for each in wanted if each not in members]
        pause_s = await self._make(owner, missing)
        return pause_s, not going and not missing

    async def _one_by_one(self, owner: Object, members: Members, wanted: range) -> tuple[float | None, bool]:
        """The next step: each member waits until the ones before it are ready; the last goes first."""
        extra = sorted((each for each in members if each not in wanted), reverse=True)
        if extra:
            pod, facts = members[extra[0]]
            if facts.state is not PodState.LEAVING:
                await self._world.writer.delete(owner, [pod])
        for each in wanted:
            if each not in members:
                return await self._make(owner, [each]), False
            pod, facts = members[each]
            if facts.state in ENDED:
                await self._world.writer.delete(owner, [pod])
                return None, False
            if not facts.ready:
                if facts.live and self._is_old(owner, each, facts):  # else a broken template could not be repaired
                    await self._world.writer.delete(owner, [pod])
                return None, False
        return None, not extra

    async def _make(self, owner: Object, ordinals: list[int]) -> float | None:
        """Make members; how long to wait before those that failed are made again."""
        if not ordinals:
            return None
        if pause_s := self._failures.pause_s(owner["metadata"]["uid"], self._world.clock()):
            return pause_s
        revision = revision_of(owner)
        try:
            await self._world.writer.create(owner, (self._pod(owner, each, revision) for each in ordinals))
        except AlreadyExistsError:  # a Pod of somebody else has the name
            return _CLASH_S
        return None

    def _pod(self, owner: Object, ordinal: int, revision: str) -> Object:
        name = f"{owner['metadata']['name']}-{ordinal}"
        labels = {
            "statefulset.kubernetes.io/pod-name": label_value(name),
            "apps.kubernetes.io/pod-index": str(ordinal),
            "controller-revision-hash": revision,
        }
        spec = part(owner, "spec")
        pod = new_pod(owner, part(spec, "template"), self._world.cache, labels=labels)
        del pod["metadata"]["generateName"]
        pod["metadata"]["name"] = name
        pod["spec"]["hostname"] = name[:63]
        if service := spec.get("serviceName"):
            pod["spec"]["subdomain"] = service
        return pod

    async def _renew(self, owner: Object, members: Members, wanted: range) -> None:
        """Replace the last member of an older template, once all after it are new and ready."""
        for each in reversed(wanted):
            pod, facts = members[each]
            if self._is_old(owner, each, facts):
                if facts.live:
                    await self._world.writer.delete(owner, [pod])
                return
            if not facts.ready:
                return

    def _is_old(self, owner: Object, ordinal: int, facts: PodFacts) -> bool:
        """Whether a member is to be replaced because its template is not the present one."""
        strategy = part(owner, "spec", "updateStrategy")
        if strategy.get("type") == "OnDelete":
            return False
        partition = number(part(strategy, "rollingUpdate").get("partition"))
        return ordinal >= partition and facts.revision != revision_of(owner)


def ordinal_of(owner: str, pod: str) -> int | None:
    """The number of a member; None where the Pod is not called like one."""
    found = _ORDINAL.fullmatch(pod)
    return int(found["number"]) if found is not None and found["name"] == owner else None


def revision_of(owner: Mapping[str, Any]) -> str:
    """The name of the present template."""
    return label_value(f"{owner['metadata']['name']}-{digest_of(plain(part(owner, 'spec', 'template')))}")


def _must_go(ordinal: int, facts: PodFacts, wanted: range) -> bool:
    return facts.state in ENDED or (ordinal not in wanted and facts.state is not PodState.LEAVING)


def _is_own(owner: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    metadata = pod["metadata"]
    labels = metadata.get("labels") or {}
    name = ordinal_of(owner["metadata"]["name"], metadata["name"])
    return name is not None and selects(part(owner, "spec", "selector"), labels)
