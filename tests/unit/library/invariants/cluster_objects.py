"""Stored objects in a few words, for tests of the invariants."""

import json

from bayplan.library.invariants.checks import INVARIANTS
from bayplan.library.invariants.stored_objects import StoredObjects


def node(name="n", cards=2, **status):
    amounts = {"cpu": "16", "memory": "64Gi", "nvidia.com/gpu": str(cards)}
    labels = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB", "nvidia.com/gpu.memory": "40960"}
    status = {"capacity": amounts, "allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]} | status
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def device(index, **said):
    """As the scheduling loop writes it."""
    names = ("uuid", "model", "memory_mib", "headroom_mib", "compute_percent", "mig")
    return {"runtime": "cuda", "index": index, **dict.fromkeys(names), **said}


def booking(workload, replica=0, **said):
    """The scheduler's own record, as an annotation."""
    return {"bayplan.io/booking": json.dumps({"workload": workload, "replica": replica, **said})}


def pod(name, *, on="n", cards=0, devices=None, phase="Running", resources=None, priority=None, **metadata):
    limits = {"cpu": "1", "memory": "1Gi"} | ({"nvidia.com/gpu": str(cards)} if cards else {})
    annotations = metadata.pop("annotations", {})
    if devices is not None:
        annotations = annotations | {"bayplan.io/devices": json.dumps(devices)}
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}", "annotations": annotations} | metadata
    spec = {"containers": [{"name": "c", "resources": resources or {"limits": limits}}]}
    spec |= {"nodeName": on} if on else {}
    spec |= {} if priority is None else {"priority": priority}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": phase}}


def owned(kind, name, api="apps/v1", **said):
    """Metadata of a Pod that a controller made."""
    reference = {"apiVersion": api, "kind": kind, "name": name, "uid": f"uid-{name}", "controller": True}
    return {"ownerReferences": [reference], **said}


def verdict(number, *objects, ledger=None):
    """What one invariant says about these objects."""
    (invariant,) = (each for each in INVARIANTS if each.id == number)
    return invariant.judge(StoredObjects(objects, ledger))
