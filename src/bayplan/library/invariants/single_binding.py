"""I2: a replica is bound at most once."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from bayplan.cluster.identity import DEFAULT_NAMESPACE, ReplicaKey
from bayplan.cluster.invariants import bound_once as ledger_bound_once
from bayplan.library.invariants.pod_records import UnreadableRecordError, booked
from bayplan.library.invariants.server_bookings import on_several_servers
from bayplan.library.invariants.stored_objects import UNREADABLE, name_of
from bayplan.library.invariants.verdict import judged, not_judged, told
from bayplan.manifests.marks import SHARD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.library.invariants.stored_objects import Object, StoredObjects
    from bayplan.library.invariants.verdict import Verdict

_INDEXES = ("apps.kubernetes.io/pod-index", "batch.kubernetes.io/job-completion-index")
"""Labels or annotations in which controllers of Kubernetes write which replica of their owner a Pod is."""


def bound_once(objects: StoredObjects) -> Verdict:
    """No booking is there twice, and no two Pods that hold something are the same replica of the same owner."""
    if objects.ledger is None:
        return not_judged(UNREADABLE)
    return judged([*told(ledger_bound_once(objects.ledger)), *_same_replicas(objects), *on_several_servers(objects)])


def _same_replicas(objects: StoredObjects) -> Iterator[str]:
    pods: dict[tuple[str, ...], list[Object]] = defaultdict(list)
    for pod in objects.holding_pods:
        for identity in _identities(pod):
            pods[identity].append(pod)
    for (what, *_), same in pods.items():
        if len(same) > 1:
            where = ", ".join(f"{name_of(each)} on {each['spec']['nodeName']}" for each in same)
            yield f"{what}: is bound {len(same)} times: {where}"


def _identities(pod: Object) -> Iterator[tuple[str, ...]]:
    """By what two Pods are the same: the uid, or which replica of what they are.

    In Kubernetes a Pod that is being deleted may already have a successor with the same number.
    """
    metadata = pod["metadata"]
    namespace = metadata.get("namespace") or DEFAULT_NAMESPACE
    if uid := metadata.get("uid"):
        yield f"uid {uid}", uid
    if (replica := _booked_replica(pod)) is not None:
        yield f"replica {ReplicaKey(namespace, *replica)}", namespace, *map(str, replica)
    said = {**(metadata.get("labels") or {}), **(metadata.get("annotations") or {})}
    index = next((said[key] for key in _INDEXES if said.get(key)), None)
    owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
    if index is not None and owner is not None and "deletionTimestamp" not in metadata:
        whose = f"{owner.get('kind')} {namespace}/{owner.get('name')}"
        yield f"replica {index} of {whose}", str(owner.get("uid")), index


def _booked_replica(pod: Object) -> tuple[str, int] | None:
    """The replica of the scheduler's record; a further part of a replica over several workers is no second binding."""
    if (pod["metadata"].get("labels") or {}).get(SHARD):
        return None
    try:
        record = booked(pod)
    except UnreadableRecordError:
        return None  # the ledger's sum speaks of it
    return None if record is None else (record.workload, record.replica)
