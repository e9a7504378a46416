"""Clusters and workloads as users write them, for rows that go through the library's functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.library.documents import documents_of
from bayplan.library.sized_workloads import read_sized_workloads

if TYPE_CHECKING:
    from bayplan.placement.asks.sized_workload import SizedWorkload

CARDS = 8
RACK = 100
"""Workers of a rack."""
GPU_MODELS = (("H100-SXM5-80GB", "80Gi"), ("A100-SXM4-80GB", "80Gi"), ("L40S", "48Gi"), ("RTX-4090", "24Gi"))
MODEL_8B = {
    "weights": "15Gi", "kvCache": "4Gi", "overhead": "1Gi",
    "architecture": {"heads": 32, "kvHeads": 8, "layers": 32, "headDim": 128, "vocabSize": 128256, "hiddenSize": 4096},
}  # fmt: skip
MODEL_70B = {
    "weights": "700Gi", "kvCache": "64Gi", "overhead": "2Gi",
    "architecture": {"heads": 64, "kvHeads": 8, "layers": 80, "vocabSize": 128256, "hiddenSize": 8192},
}  # fmt: skip


def workload(name: str, **spec: Any) -> dict[str, Any]:
    """A Workload document."""
    return {"apiVersion": "bayplan.io/v1alpha1", "kind": "Workload", "metadata": {"name": name}, "spec": spec}


def sized(*documents: dict[str, Any]) -> list[SizedWorkload]:
    """The workloads as `Planner.plan` takes them."""
    return read_sized_workloads(documents_of(documents, "workloads"))


def free_cluster(size: int, seed: int = 11) -> dict[str, Any]:
    """Workers of eight cards, of four models in no order, in racks of a hundred; every card is free."""
    chance = np.random.default_rng(seed)
    workers = []
    for row, kind in enumerate(chance.integers(len(GPU_MODELS), size=size).tolist()):
        model, memory = GPU_MODELS[kind]
        workers.append(
            {
                "name": f"w{row}",
                "rack": f"r{row // RACK}",
                "cpu": 128,
                "ram": "1024Gi",
                "gpus": {"count": CARDS, "model": model, "memory": memory},
                "usdPerHour": round(float(chance.uniform(2.0, 64.0)), 2),
            }
        )
    return {"apiVersion": "bayplan.io/v1alpha1", "kind": "Cluster", "workers": workers}


def half_held_cluster(size: int, seed: int = 11) -> dict[str, Any]:
    """The same workers; about half of all cards are held, each by a job of its own."""
    held = np.random.default_rng(seed + 1).random((size, CARDS)) < 0.5
    bookings = [_booking(row, [card]) for row, card in np.argwhere(held).tolist()]
    return free_cluster(size, seed) | {"bookings": bookings}


def full_cluster(size: int, cards_each: int, seed: int = 11) -> dict[str, Any]:
    """The same workers; every card is held, by jobs of `cards_each` cards and of priorities 0 to 9."""
    starts = range(0, CARDS, cards_each)
    bookings = [
        _booking(row, list(range(start, start + cards_each))) | {"priority": (row + start // cards_each) % 10}
        for row in range(size)
        for start in starts
    ]
    return free_cluster(size, seed) | {"bookings": bookings}


def _booking(row: int, cards: list[int]) -> dict[str, Any]:
    return {
        "workload": f"job-{row}-{cards[0]}",
        "worker": f"w{row}",
        "cpu": 2 * len(cards),
        "ram": f"{4 * len(cards)}Gi",
        "gpus": [{"index": card} for card in cards],
    }
