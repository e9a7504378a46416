"""Objects as real clusters have them, for the benchmark of the store."""

from __future__ import annotations

from typing import Any

import orjson

_CONDITIONS = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "Ready")


def node(name: str) -> dict[str, Any]:
    """A GPU node of about 3 kB, with the labels and conditions that kubelet and device plugins write."""
    labels = {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "gpu-8x-h100",
        "topology.kubernetes.io/region": "eu-north-1",
        "topology.kubernetes.io/zone": "eu-north-1a",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/gpu.count": "8",
        "nvidia.com/gpu.memory": "81559",
        "nvidia.com/mig.capable": "true",
    }
    amounts = {"cpu": "192", "memory": "2113384Mi", "ephemeral-storage": "7Ti", "nvidia.com/gpu": "8", "pods": "250"}
    conditions = [
        {
            "type": kind,
            "status": "True" if kind == "Ready" else "False",
            "lastHeartbeatTime": "2026-01-01T00:00:00Z",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
            "reason": f"Kubelet{kind}",
            "message": f"kubelet says what it knows about {kind}",
        }
        for kind in _CONDITIONS
    ]
    images = [{"names": [f"registry.example/team/image-{i}:v1"], "sizeBytes": 10**8 + i} for i in range(8)]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {"node.alpha.kubernetes.io/ttl": "0"}},
        "spec": {"podCIDR": "10.0.0.0/24", "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]},
        "status": {
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "Hostname", "address": name}],
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": conditions,
            "images": images,
            "nodeInfo": {"kernelVersion": "6.8.0", "kubeletVersion": "v1.32.1", "osImage": "Linux"},
        },
    }


def pod(name: str) -> dict[str, Any]:
    """A pod of about 1 kB that asks for a card."""
    container = {
        "name": "server",
        "image": "registry.example/team/server:v1.2.3",
        "args": ["--model", "/models/llama", "--port", "8000"],
        "env": [{"name": f"SETTING_{i}", "value": f"value-{i}"} for i in range(4)],
        "ports": [{"containerPort": 8000, "name": "http"}],
        "resources": {"limits": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"}},
    }
    toleration = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": "server", "team": "search"}},
        "spec": {"schedulerName": "bayplan", "containers": [container], "tolerations": [toleration]},
    }


KINDS = {"nodes": ("/api/v1/nodes", node), "pods": ("/api/v1/namespaces/default/pods", pod)}


def body(kind: str, name: str, **labels: str) -> bytes:
    """The JSON of one object."""
    document = KINDS[kind][1](name)
    document["metadata"]["labels"].update(labels)
    return orjson.dumps(document)
