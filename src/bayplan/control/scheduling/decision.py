"""A decision that is being carried out: which Pods go where, and what must happen first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.control.collections import POD_GROUPS
from bayplan.control.scheduling.units import POOLS, role_of_pod
from bayplan.control.store import Binding
from bayplan.manifests.inventory.told_booking import booking_text
from bayplan.manifests.marks import BOOKING, DEVICES, ENGINE_ARGS, EPOCH, RECORD, SHARD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.ledger import Ledger
    from bayplan.control.scheduling.pod_holdings import PodName
    from bayplan.control.scheduling.units import Unit, UnitKey
    from bayplan.control.store import Object
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.planning.plan import Plan


@dataclass(frozen=True, slots=True)
class PlacedPod:
    """One Pod, and what it gets on its worker."""

    name: PodName
    uid: str | None
    worker: str
    booking: Booking
    annotations: dict[str, str]
    shard: Object | None = None
    """The Pod itself where it does not exist yet: a further part of a replica that spans workers."""

    def binding(self, uid: str | None = None) -> Binding:
        """`uid` is that of a Pod which was made for the decision."""
        namespace, name = self.name
        return Binding(namespace, name, self.worker, self.uid or uid, self.annotations)


@dataclass(slots=True, eq=False)
class Decision:
    """A plan whose room is reserved in the ledger, until its Pods are bound or it is given up."""

    record: str
    unit: UnitKey
    plan: Plan
    document: dict[str, Any]
    """The plan as people read it."""
    pods: list[PlacedPod]
    since_s: float
    """Since when the oldest of its Pods is pending."""
    victims: list[PodName] = field(default_factory=list)
    """Pods that must be gone before."""

    @property
    def strategy(self) -> str:
        """The strategy that decided."""
        return self.plan.sized.workload.shapes[0][2].strategy

    @property
    def shards(self) -> list[PlacedPod]:
        return [each for each in self.pods if each.shard is not None]


def placed_pods(
    plan: Plan, document: dict[str, Any], unit: Unit, ledger: Ledger, record: str, epoch: int
) -> list[PlacedPod]:
    """Give each replica of a committed plan one of the unit's pending Pods, in order of their names."""
    waiting = _by_role(unit)
    common = {RECORD: record, EPOCH: str(epoch)}
    found: list[PlacedPod] = []
    for replica, written in zip(plan.replicas, document["replicas"], strict=True):
        pod = next(waiting.get(replica.role.name or "", iter(())), None)
        if pod is None:
            continue  # the owner wants more than it has Pods; the rest of the plan is released
        found += _of_replica(replica, written, pod, ledger, common)
    return found


def _of_replica(
    replica: Replica, written: dict[str, Any], pod: Object, ledger: Ledger, common: dict[str, str]
) -> Iterator[PlacedPod]:
    metadata = pod["metadata"]
    name = (metadata["namespace"], metadata["name"])
    # the ledger's own objects, by which holders are found again
    held = {entry.booking.worker: entry.booking for entry in ledger.held_by(replica.placed.bookings[0].owner)}
    for number, part in enumerate(written["workers"]):
        booking = held[part["worker"]]
        annotations = {
            BOOKING: booking_text(booking),
            DEVICES: orjson.dumps(part["gpus"]).decode(),
            **({ENGINE_ARGS: orjson.dumps(written["engine_args"]).decode()} if written["engine_args"] else {}),
            **common,
        }
        if number == 0:
            yield PlacedPod(name, metadata["uid"], booking.worker, booking, annotations)
        else:
            shard = _shard_of(pod, number)
            shard_name = (name[0], shard["metadata"]["name"])
            yield PlacedPod(shard_name, None, booking.worker, booking, annotations, shard)


def _shard_of(pod: Object, number: int) -> Object:
    """A Pod for a further worker of a replica; it goes with the replica's first Pod."""
    metadata = pod["metadata"]
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{metadata['name']}-{number}",
            "namespace": metadata["namespace"],
            "labels": {SHARD: metadata["name"]},
            "annotations": {SHARD: str(number)},
            "ownerReferences": [owner],
        },
        "spec": {key: value for key, value in pod["spec"].items() if key != "nodeName"},
        "status": {"phase": "Pending"},
    }


def _by_role(unit: Unit) -> dict[str, Iterator[Object]]:
    """Pending Pods by role, in order of their names; a Pod of a group is a role under its own name.

    Roles are those of the unit's document: a launcher, which is a unit of its own, has the label of a role and no role.
    """
    named_alone = unit.key.collection is POD_GROUPS
    has_roles = unit.key.collection in POOLS.values()
    found: dict[str, list[Object]] = {}
    for name in sorted(unit.pods):
        pod = unit.pods[name]
        role = role_of_pod(pod) if has_roles else ""
        found.setdefault(name[1] if named_alone else role, []).append(pod)
    return {role: iter(pods) for role, pods in found.items()}
