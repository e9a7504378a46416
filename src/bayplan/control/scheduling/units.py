"""What is planned as one: the pending Pods of an owner, of a group, or a Pod by itself.

| Pod | unit | read from |
|---|---|---|
| of a pool, workload or training job | its owner | the owner's document |
| with the label of a group | the PodGroup | the group and all its Pods |
| of a ReplicaSet, StatefulSet or Job | its controller | the controller's template |
| any other | itself | itself |
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from bayplan.control.collections import (
    AGENT_CLASSES,
    AGENT_POOLS,
    ELASTIC_HOROVOD_JOBS,
    HOROVOD_JOBS,
    JOBS,
    POD_GROUPS,
    PODS,
    REPLICA_SETS,
    STATEFUL_SETS,
    UNIFIED_JOBS,
    WORKLOADS,
)
from bayplan.control.store import Key
from bayplan.framework.errors import InputError
from bayplan.library.sized_workloads import read_sized_workloads
from bayplan.manifests.marks import ROLE, SHARD, WORKLOAD
from bayplan.manifests.owners import Who, controller_of
from bayplan.manifests.pod_groups import GROUP_LABELS
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.identity import WorkloadKey
    from bayplan.cluster.workload import DryRun
    from bayplan.control.cache import Cache, Seen
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.store import Collection, Object
    from bayplan.manifests.workloads.priority_class import PriorityClass
    from bayplan.placement.asks.sized_workload import SizedRole, SizedWorkload

    DryRuns = Callable[[Object], tuple[DryRun, ...]]
    HeldBy = Callable[[WorkloadKey], Iterable[Booking]]

OUR_NAMES = ("bayplan", "alnair-cost-saving", "alnair-high-performance")
"""Scheduler names of Pods that are ours to place."""

POOLS: dict[tuple[str, str], Collection] = {
    ("bayplan.io", "Workload"): WORKLOADS,
    ("neuronetes.io", "AgentPool"): AGENT_POOLS,
    ("ai.centauruscloud.io", "ElasticHorovodJob"): ELASTIC_HOROVOD_JOBS,
    ("ai.centauruscloud.io", "HorovodJob"): HOROVOD_JOBS,
    ("ai.centauruscloud.io", "UnifiedJob"): UNIFIED_JOBS,
}
"""Owners whose own document says what a replica wants, by group and kind."""

_CONTROLLERS: dict[tuple[str, str], Collection] = {
    ("apps", "ReplicaSet"): REPLICA_SETS,
    ("apps", "StatefulSet"): STATEFUL_SETS,
    ("batch", "Job"): JOBS,
}
_ENDED = ("Succeeded", "Failed")


class UnitKey(NamedTuple):
    """The object that is planned: its collection, namespace and name."""

    collection: Collection
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.collection} {self.namespace}/{self.name}"

    @property
    def object(self) -> Key:
        return Key(self.collection, self.namespace, self.name)


@dataclass(slots=True)
class Unit:
    """Pending Pods that are planned as one, and the document that says what they want."""

    key: UnitKey
    pods: dict[PodName, Object] = field(default_factory=dict)
    read: tuple[object, SizedWorkload] | None = None
    """What was read from the documents, with their revisions."""


def unit_of(pod: Object) -> UnitKey:
    """The unit to which a Pod belongs."""
    metadata = pod["metadata"]
    namespace, labels = metadata["namespace"], metadata.get("labels") or {}
    owner = controller_of(metadata, namespace)
    # Only the label tells Pods that stand for replicas from others of the same owner, such as a launcher.
    if owner is not None and (owner.group, owner.kind) in POOLS and WORKLOAD in labels:
        return UnitKey(POOLS[owner.group, owner.kind], namespace, owner.name)
    if group := next((value for key in GROUP_LABELS if (value := labels.get(key))), ""):
        return UnitKey(POD_GROUPS, namespace, group)
    if owner is not None and (owner.group, owner.kind) in _CONTROLLERS:
        return UnitKey(_CONTROLLERS[owner.group, owner.kind], namespace, owner.name)
    return UnitKey(PODS, namespace, metadata["name"])


def is_pending(pod: Object) -> bool:
    """Whether a Pod is ours to place, and has no place."""
    spec, metadata = pod["spec"], pod["metadata"]
    if spec.get("nodeName") or "deletionTimestamp" in metadata or SHARD in (metadata.get("labels") or {}):
        return False
    if spec.get("schedulerName") not in OUR_NAMES or spec.get("schedulingGates"):
        return False
    return (pod.get("status") or {}).get("phase", "Pending") not in _ENDED


def is_leaving_member(pod: Object) -> bool:
    """Whether a Pod has a place, and is being deleted; further parts of a replica are no members."""
    metadata = pod["metadata"]
    if (
        "deletionTimestamp" not in metadata
        or not pod["spec"].get("nodeName")
        or SHARD in (metadata.get("labels") or {})
    ):
        return False
    return (pod.get("status") or {}).get("phase") not in _ENDED


def role_of_pod(pod: Object) -> str:
    """The role of a Pod among the members of its owner; empty where all are equal."""
    return str((pod["metadata"].get("labels") or {}).get(ROLE) or "")


class UnitReader:
    """Reads what units want from the cache; what was read is kept until a document changes."""

    collections = (
        *POOLS.values(),
        *_CONTROLLERS.values(),
        AGENT_CLASSES,
        POD_GROUPS,
        PODS,
    )

    def __init__(self, cache: Cache, dry_runs: DryRuns | None = None) -> None:
        """`dry_runs` tells what Pods like one took of cards so far; it counts where the workload names no `dryRun`."""
        self._cache, self._dry_runs = cache, dry_runs
        self._leaving: dict[UnitKey, set[PodName]] = {}
        self._members: dict[UnitKey, set[PodName]] = {}  # of groups
        cache.listen(PODS, self._pod_seen)

    def _pod_seen(self, seen: Seen) -> None:
        """Keep which Pods are members of a group, and which members of a unit have a place and are being deleted."""
        name = (seen.key.namespace, seen.key.name)
        if seen.old is not None:
            was = unit_of(seen.old)
            _drop(self._members, was, name)
            if "deletionTimestamp" in seen.old["metadata"]:
                _drop(self._leaving, was, name)
        if seen.new is not None:
            now = unit_of(seen.new)
            if now.collection is POD_GROUPS:
                self._members.setdefault(now, set()).add(name)
            if is_leaving_member(seen.new):
                self._leaving.setdefault(now, set()).add(name)

    def sized(self, unit: Unit, held_by: HeldBy, classes: tuple[PriorityClass, ...]) -> SizedWorkload:
        """The workload with as many replicas as are held already or pending; InputError where it cannot be read."""
        documents = self._documents(unit)
        revisions = (tuple(each["metadata"]["resourceVersion"] for each in documents), classes)
        if unit.read is None or unit.read[0] != revisions:
            named = [Document(each, _named(each)) for each in documents]
            found = read_sized_workloads(named, classes)
            if len(found) != 1:
                message = f"these objects are {len(found)} workloads"
                raise InputError(message, place=str(unit.key), next="give each its own labels and owners")
            unit.read = (revisions, self._profiled(unit, self._renamed(unit, found[0])))
        sized = _with_minimum(unit.read[1], len(self._leaving.get(unit.key, ())))
        if unit.key.collection is POD_GROUPS:
            return sized
        return _with_replicas(sized, unit, held_by(sized.workload.key))

    def _documents(self, unit: Unit) -> list[Object]:
        key = unit.key
        if key.collection is PODS:
            return list(unit.pods.values())
        found = self._cache.get(key.object)
        if key.collection is POD_GROUPS:
            names = sorted(self._members.get(key, ()))
            members = [pod for name in names if (pod := self._cache.get(Key(PODS, *name))) is not None]
            return [*([found] if found is not None else ()), *filter(is_counted, members)]
        if found is None:
            message = "is gone, and its Pods with it"
            raise InputError(message, place=str(key), next="wait until its Pods are deleted")
        if key.collection is AGENT_POOLS:
            named = self._cache.get(_class_of(found))
            return [found, *([named] if named is not None else ())]
        return [_without_owners(found)]

    def _profiled(self, unit: Unit, sized: SizedWorkload) -> SizedWorkload:
        """The roles with what their Pods were seen to take."""
        if self._dry_runs is None:
            return sized
        by_role = {role_of_pod(each): each for each in unit.pods.values()}
        known = {name: self._dry_runs(pod) for name, pod in by_role.items()}
        return replace(sized, roles=tuple(_with_dry_runs(each, known.get(each.name or "", ())) for each in sized.roles))

    def _renamed(self, unit: Unit, sized: SizedWorkload) -> SizedWorkload:
        """A ReplicaSet of a Deployment holds its bookings under the name of the Deployment, as everywhere."""
        owner = self.owner(unit.key)
        if owner.name == sized.workload.name:
            return sized
        workload = sized.workload
        return replace(sized, workload=replace(workload, id=replace(workload.id, name=owner.name)))

    def owner(self, key: UnitKey) -> Who:
        """The object above a unit that people know it by: the Deployment of a ReplicaSet, else the unit itself."""
        here = Who(key.collection.group, "", key.namespace, key.name)
        if key.collection is not REPLICA_SETS:
            return here
        found = self._cache.get(key.object)
        above = None if found is None else controller_of(found["metadata"], key.namespace)
        return above if above is not None and above.kind == "Deployment" else here


def _with_dry_runs(role: SizedRole, known: tuple[DryRun, ...]) -> SizedRole:
    return role if role.shape.dry_run or not known else replace(role, shape=replace(role.shape, dry_run=known))


def _drop(kept: dict[UnitKey, set[PodName]], key: UnitKey, name: PodName) -> None:
    names = kept.get(key)
    if names is not None:
        names.discard(name)
        if not names:
            del kept[key]


def is_counted(pod: Object) -> bool:
    """Whether a Pod of a group has not ended, and is not given up before it had a place."""
    if (pod.get("status") or {}).get("phase") in _ENDED:
        return False
    return "deletionTimestamp" not in pod["metadata"] or bool(pod["spec"].get("nodeName"))


def _with_replicas(sized: SizedWorkload, unit: Unit, held: Iterable[Booking]) -> SizedWorkload:
    """As many replicas, in each role, as hold something or are pending; a gang needs as many as its owner says.

    Its owner may not have made all its Pods yet: fewer than the minimum are not placed.
    """
    pending = Counter(role_of_pod(each) for each in unit.pods.values())
    there = Counter(role for _, role in {(booking.replica, booking.role) for booking in held})
    workload = sized.workload
    if not workload.roles:
        replicas = pending.total() + there.total()
        if workload.replicas == replicas:
            return sized
        only = tuple(replace(role, replicas=replicas) for role in sized.roles)  # there is one, of no name
        return replace(sized, workload=replace(workload, replicas=replicas), roles=only)
    numbers = {role.name: pending[role.name] + there[role.name] for role in workload.roles}
    members = tuple(replace(role, replicas=numbers[role.name]) for role in workload.roles)
    roles = tuple(replace(role, replicas=numbers[role.name or ""]) for role in sized.roles)
    return replace(sized, workload=replace(workload, roles=members), roles=roles)


def _with_minimum(sized: SizedWorkload, leaving: int) -> SizedWorkload:
    """The minimum of a gang as a number. Members that are leaving still hold their places, and do not count for it."""
    workload = sized.workload
    if workload.gang is None or (workload.gang.minimum is not None and not leaving):
        return sized
    gang = replace(workload.gang, minimum=workload.minimum + leaving)
    return replace(sized, workload=replace(workload, gang=gang))


def _class_of(pool: Object) -> Key:
    """The AgentClass that a pool refers to."""
    reference = (pool.get("spec") or {}).get("agentClassRef") or {}
    return Key(AGENT_CLASSES, reference.get("namespace") or pool["metadata"]["namespace"], reference.get("name") or "")


def _without_owners(document: Object) -> Object:
    metadata = {key: value for key, value in document["metadata"].items() if key != "ownerReferences"}
    return {**document, "metadata": metadata}


def _named(document: Object) -> str:
    metadata = document["metadata"]
    return f"{document['kind']} {metadata['namespace']}/{metadata['name']}"
