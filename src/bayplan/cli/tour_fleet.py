"""The data of the tour: a small mixed fleet, a 70B model that fits with a short context only, and a gang."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

FLEET: dict[str, Any] = {
    "kind": "Cluster",
    "workers": [
        {
            "name": "hopper",
            "cpu": 192,
            "ram": "2Ti",
            "gpus": {"count": 8, "model": "H100-SXM5-80GB", "memory": "80Gi"},
            "links": "nvswitch",
            "usdPerHour": 55.04,
        },
        {
            "name": "ampere",
            "count": 2,
            "cpu": 128,
            "ram": "1Ti",
            "gpus": {"count": 4, "model": "A100-SXM4-80GB", "memory": "80Gi"},
            "links": "nvswitch",
            "usdPerHour": 14.60,
        },
        {
            "name": "lovelace",
            "count": 2,
            "cpu": 64,
            "ram": "512Gi",
            "gpus": {"count": 4, "model": "L40S", "memory": "48Gi"},
            "links": "pcie",
            "usdPerHour": 7.20,
        },
    ],
    "bookings": [
        {"workload": "pretraining", "worker": "hopper", "gpus": [{"index": index} for index in range(6)]},
        {"workload": "embedder", "worker": "lovelace-0", "gpus": [{"index": 0, "memory": "20Gi"}]},
    ],
}

MODEL: dict[str, Any] = {
    "weights": "131Gi",
    "context": 16_384,
    "concurrency": 16,
    "architecture": {
        "heads": 64,
        "kvHeads": 8,
        "layers": 80,
        "headDim": 128,
        "vocabSize": 128_256,
        "hiddenSize": 8192,
    },
}

CHAT: dict[str, Any] = {
    "kind": "Workload",
    "metadata": {"name": "chat-70b"},
    "spec": {"model": MODEL, "backend": {"name": "vllm"}, "cpu": 16, "ram": "64Gi"},
}

TRAINING: dict[str, Any] = {
    "kind": "Workload",
    "metadata": {"name": "finetune"},
    "spec": {
        "replicas": 2,
        "gang": {},
        "gpus": {"count": 4, "models": ["H100"], "locality": "nvlink"},
        "priority": 100,
        "preemption": "lower-priority",
    },
}
"""All members on four linked cards each, or none; bookings of lower priority are removed for it."""


def long_chat(**changes: Any) -> dict[str, Any]:
    """The same model for ten requests of 131,072 tokens, with these fields of its spec changed."""
    workload = deepcopy(CHAT)
    workload["metadata"]["name"] = "chat-70b-long"
    workload["spec"]["model"] |= {"context": 131_072, "concurrency": 10}
    workload["spec"] |= changes
    return workload
