"""What explanations cost: `bayplan.why` over 5,000 workers, dicts in and documents out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bayplan
from bench.documents import MODEL_70B, free_cluster, workload
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 3
SIZE = 5_000
BEFORE_S = 1.1
"""What an answer with changes took before step 5."""


def cluster(size: int) -> dict[str, Any]:
    """Workers of four kinds, one of them cordoned and one in another zone; none is held."""
    kinds = (
        _workers("a", size, 8, "L40S", "48Gi"),
        _workers("b", size, 8, "A100-SXM4-80GB", "80Gi"),
        _workers("c", size, 8, "H100-SXM5-80GB", "80Gi", status="cordoned"),
        _workers("d", size, 4, "RTX-4090", "24Gi", labels={"zone": "b"}),
    )
    return {"workers": kinds}


def _workers(name: str, size: int, cards: int, model: str, memory: str, **more: object) -> dict[str, object]:
    gpus = {"count": cards, "model": model, "memory": memory}
    return {"name": name, "count": size // 4, "cpu": 64, "ram": "512Gi", "gpus": gpus, **more}


def rows(say: Callable[[str], None], size: int = SIZE) -> Iterator[Row]:
    """Every worker with every failing check, of a model and of a gang; and with the search for what would help."""
    model = workload("big", model=MODEL_70B, backend={"name": "vllm"}, selector={"matchLabels": {"zone": "a"}})
    gang = workload("large", gpus={"count": 8}, cpu=8, replicas=128, gang={"within": "rack"})
    on, racks = cluster(size), free_cluster(size)

    def explained(asked: dict[str, Any], where: dict[str, Any], *, changes: bool) -> None:
        document = bayplan.why(asked, where, changes=changes)
        if len(document["workers"]) != size or document["verdict"] == "fits":
            raise AssertionError("why does not answer what was asked")
        if changes and not document["changes"]:
            raise AssertionError("why finds no change that would help: that is another benchmark")

    seconds = interleaved(
        {
            "why": lambda: lambda: explained(model, on, changes=False),
            "changes": lambda: lambda: explained(model, on, changes=True),
            "gang": lambda: lambda: explained(gang, racks, changes=False),
        },
        ROUNDS,
    )
    yield Row(f"placement/why/{size}", seconds["why"], "s", 0.5, "<=")
    yield Row(f"placement/why/changes/{size}", seconds["changes"], "s", 0.4, "<=", BEFORE_S)
    yield Row(f"placement/why/gang/{size}", seconds["gang"], "s", 1.0, "<=")
