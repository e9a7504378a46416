"""I1: no card, MIG instance, place, CPU or memory is given out beyond what there is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bayplan.cluster.device_offer import GPU_RESOURCE
from bayplan.cluster.invariants import within_capacity as ledger_within_capacity
from bayplan.library.invariants.pod_amounts import asked_by, is_counted
from bayplan.library.invariants.pod_records import UnreadableRecordError, named_devices
from bayplan.library.invariants.server_bookings import memory_beyond
from bayplan.library.invariants.stored_objects import UNREADABLE, name_of
from bayplan.library.invariants.verdict import judged, not_judged, told
from bayplan.manifests.inventory.amounts import cards_counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.worker import Worker
    from bayplan.library.invariants.pod_records import Device
    from bayplan.library.invariants.stored_objects import Object, StoredObjects
    from bayplan.library.invariants.verdict import Verdict


def within_capacity(objects: StoredObjects) -> Verdict:
    """What the ledger says about each worker, and a count of devices as Kubernetes counts them.

    The count is needed beside the ledger: a Pod that asks for a card where none is left holds none in the ledger.
    """
    if objects.ledger is None or objects.inventory is None:
        return not_judged(UNREADABLE)
    counted = [
        problem
        for worker in objects.inventory.cluster.workers
        if (node := objects.nodes.get(worker.name)) is not None
        for problem in _devices_beyond(node, worker, objects.holding_on(worker.name))
    ]
    return judged([*told(ledger_within_capacity(objects.ledger)), *counted, *memory_beyond(objects)])


def _devices_beyond(node: Object, worker: Worker, pods: Sequence[Object]) -> Iterator[str]:
    """Devices that Pods hold without naming them; those that are named are judged one by one by the ledger."""
    asked: Counter[str] = Counter()
    named: list[Device] = []
    for pod in pods:
        try:
            devices = named_devices(pod)
        except UnreadableRecordError as unreadable:
            yield f"{name_of(pod)}: its annotation {unreadable} cannot be read, so what it holds is not known"
            continue
        named += devices
        if not devices:
            asked.update({name: amount for name, amount in asked_by(pod).items() if is_counted(name)})
    offered = _offered(node)
    for resource, amount in asked.items():
        beside = _gone(worker, named) if resource == GPU_RESOURCE else 0
        if amount and amount + beside > offered[resource]:
            others = f" beside {beside} that Pods hold by name" if beside else ""
            yield f"worker {worker.name}: {amount} {resource} are assigned{others}, it has {offered[resource]}"


def _gone(worker: Worker, named: Sequence[Device]) -> int:
    """Cards of CUDA, or places on shared ones, that no other Pod can get."""
    held = [each.index for each in named if each.runtime == "cuda" and not each.mig]
    return len(held) if any(gpu.places is not None for gpu in worker.gpus) else len(set(held))


def _offered(node: Object) -> Counter[str]:
    """What the Node has: a card that fell ill is no longer allocatable, and was still given out rightly."""
    status = node.get("status") or {}
    offered: Counter[str] = Counter()
    for written in (status.get("allocatable") or {}, status.get("capacity") or {}):
        for resource, value in written.items():
            if is_counted(resource):
                offered[resource] = max(offered[resource], cards_counted(value, resource))
    return offered
