"""What the guarded reader costs: hostile documents until they are refused, and a large inventory until it is read."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import orjson
from tests.unit.manifests.hostile import CASES
from tests.unit.manifests.ordinary import block_workload

from bayplan.framework.errors import InputError
from bayplan.manifests.limits import DOCUMENT, INVENTORY
from bayplan.manifests.reader import read_text
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from bench.measure import Work

ROUNDS = 5
HOSTILE_GOAL_MS = 250
INVENTORY_GOAL_MS = 600
INVENTORY_NODES = 5_000
WORKLOADS_GOAL_MS = 2_000
WORKLOADS = 5_000


def rows() -> list[Row]:
    """One row per hostile document, one for an inventory beside plain orjson, one for many Workloads in block YAML."""
    return [*(_hostile(name, make()) for name, (make, _, _) in CASES.items()), _inventory(), _workloads()]


def _hostile(name: str, text: str | bytes) -> Row:
    slug = "".join(letter if letter.isalnum() else "-" for letter in name.lower().replace(",", "").replace(": ", "-"))
    seconds = interleaved({"refused": lambda: lambda: _refused(text)}, ROUNDS)["refused"]
    return Row(f"framework/reader/{slug}", seconds * 1e3, "ms", HOSTILE_GOAL_MS, "<=")


def _refused(text: str | bytes) -> None:
    try:
        read_text(text, "bench", DOCUMENT)
    except InputError:
        return
    raise AssertionError("a hostile document was read")


def _inventory() -> Row:
    data = orjson.dumps({"kind": "List", "items": [_node(index) for index in range(INVENTORY_NODES)]})
    found = interleaved({"guarded": lambda: _guarded(data), "orjson": lambda: lambda: orjson.loads(data)}, ROUNDS)
    name = f"framework/reader/inventory-{len(data) // 1_000_000}-mb"
    return Row(name, found["guarded"] * 1e3, "ms", INVENTORY_GOAL_MS, "<=", baseline=found["orjson"] * 1e3)


def _workloads() -> Row:
    data = "".join(map(block_workload, range(WORKLOADS))).encode()
    found = interleaved({"read": lambda: lambda: read_text(data, "bench", DOCUMENT)}, ROUNDS)
    return Row(f"reading/{WORKLOADS}-workloads-yaml", found["read"] * 1e3, "ms", WORKLOADS_GOAL_MS, "<=")


def _guarded(data: bytes) -> Work:
    return lambda: read_text(data, "bench", INVENTORY)


def _node(index: int) -> dict[str, Any]:
    """A Kubernetes node of about 8 kB, shaped as an API server tells it."""
    draw = random.Random(index)
    images = [
        {
            "names": [f"registry.example/team/image-{i}@sha256:{draw.getrandbits(256):064x}", f"image-{i}:v1.{i}.0"],
            "sizeBytes": draw.randrange(10**9),
        }
        for i in range(30)
    ]
    kinds = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready", "NetworkUnavailable")
    conditions = [
        {"type": kind, "status": "False", "lastHeartbeatTime": "2026-01-01T00:00:00Z", "message": f"kubelet: no {kind}"}
        for kind in kinds
    ]
    managed = {"f:metadata": {"f:labels": {f"f:example.com/label-{i}": {} for i in range(25)}}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": f"node-{index}",
            "uid": f"{draw.getrandbits(128):032x}",
            "labels": {f"example.com/label-{i}": f"value-{i}" for i in range(25)},
            "annotations": {f"example.com/note-{i}": '{"driver": "x", "path": "C:\\\\y"}' for i in range(8)},
            "managedFields": [{"manager": "kubelet", "operation": "Update", "fieldsV1": managed}],
        },
        "spec": {"podCIDR": "10.0.0.0/24", "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]},
        "status": {
            "capacity": {"cpu": "96", "memory": "1000000Ki", "nvidia.com/gpu": "8"},
            "conditions": conditions,
            "images": images,
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
        },
    }
