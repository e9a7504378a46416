"""Nodes of Bayplan's own: an annotation holds the worker as a Cluster file has it, so that nothing of it is lost."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.cluster.frozen_map import EMPTY, FrozenMap
from bayplan.cluster.worker import Worker, WorkerStatus
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.inventory.labels import BLOCK, NVLINK_DOMAIN, RACK, REGION, SPOT, ZONE
from bayplan.manifests.json_text import read_json
from bayplan.manifests.limits import DOCUMENT
from bayplan.manifests.marks import RUNTIME, WORKER
from bayplan.manifests.native.cards import Shelf
from bayplan.manifests.native.cluster_writer import write_worker
from bayplan.manifests.native.worker import read_worker
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.taint import Taint

_OF_THE_NODE = ("name", "uid", "status", "labels", "taints")
"""What the Node itself says. So the annotations of equal workers are equal, and they share their cards."""
_STAND_IN = "worker"  # the name under which a description without one is read
_SPOT_LABEL = next(reversed(SPOT))
GPU = "nvidia.com/gpu"


def node_document(worker: Worker, runtime: str) -> dict[str, Any]:
    """A Node that describes the worker; `runtime` says what runs its Pods (marks.RUNTIME)."""
    described = {key: value for key, value in write_worker(worker).items() if key not in _OF_THE_NODE}
    text = orjson.dumps(described).decode()
    ready = worker.status is not WorkerStatus.NOT_READY
    spec: dict[str, Any] = {}
    if worker.taints:
        spec["taints"] = [_taint(each) for each in worker.taints]
    if worker.status in (WorkerStatus.CORDONED, WorkerStatus.DRAINING):
        spec["unschedulable"] = True
    amounts = _amounts(worker)
    condition = {
        "type": "Ready",
        "status": "True" if ready else "False",
        "reason": "Declared",
        "message": "the description of this worker says so",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": worker.name,
            "labels": {**_known_labels(worker), **worker.labels, RUNTIME: runtime},
            "annotations": {WORKER: text},
        },
        "spec": spec,
        "status": {"capacity": amounts, "allocatable": amounts, "conditions": [condition]},
    }


def described_worker(
    text: str, name: str, status: WorkerStatus, labels: Mapping[str, str], taints: tuple[Taint, ...]
) -> Worker:
    """The worker of an annotation, with what its Node says; InputError where the annotation cannot be read."""
    own = FrozenMap(labels) if labels else EMPTY
    return replace(_described(text), name=name, uid="", status=status, labels=own, taints=taints)


@lru_cache(maxsize=16_384)
def _described(text: str) -> Worker:
    data = _mapping(read_json(text.encode("utf-8", "surrogatepass"), WORKER, DOCUMENT))
    findings = Findings(Document({**data, "name": _STAND_IN}, WORKER))
    workers = read_worker(Fields(findings.document.data, findings), Shelf())
    findings.check()
    return workers[0]


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError("is no description of a worker", place=WORKER, next="write a JSON object")
    return value


def _taint(taint: Taint) -> dict[str, str]:
    return {"key": taint.key, "value": taint.value, "effect": taint.effect.value}


def _known_labels(worker: Worker) -> dict[str, str]:
    """Labels under which people look for workers; the annotation alone counts for placement."""
    place = worker.topology
    known = {
        "kubernetes.io/hostname": worker.name,
        REGION[1]: place.region,
        ZONE[1]: place.zone,
        BLOCK[0]: place.block,
        RACK[0]: place.rack,
        NVLINK_DOMAIN[0]: place.nvlink_domain,
        _SPOT_LABEL: "true" if worker.spot else None,
    }
    return {key: value for key, value in known.items() if value}


def _amounts(worker: Worker) -> dict[str, str]:
    """What `kubectl describe node` shows."""
    cuda = sum(gpu.runtime == "cuda" for gpu in worker.gpus)
    return {
        **({} if worker.cpu_milli is None else {"cpu": f"{worker.cpu_milli}m"}),
        **({} if worker.ram_mib is None else {"memory": f"{worker.ram_mib}Mi"}),
        **({GPU: str(cuda)} if cuda else {}),
        "pods": "1000",
    }
