"""What answers cost people: why over 5,000 workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.library.planner import planner_of
from bayplan.library.sized_workloads import read_sized_workloads
from bayplan.manifests.reader import Document
from bayplan.placement.answers.why import explain
from bayplan.placement.answers.why_document import why_document
from bench.measure import Row, interleaved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _workers(name: str, cards: int, model: str, memory: str, **more: object) -> dict[str, object]:
    gpus = {"count": cards, "model": model, "memory": memory}
    return {"name": name, "count": 1_250, "cpu": 64, "ram": "512Gi", "gpus": gpus, **more}


CLUSTER = {
    "workers": [
        _workers("a", 8, "L40S", "48Gi"),
        _workers("b", 8, "A100-SXM4-80GB", "80Gi"),
        _workers("c", 8, "H100-SXM5-80GB", "80Gi", status="cordoned"),
        _workers("d", 4, "RTX-4090", "24Gi", labels={"zone": "b"}),
    ]
}
WORKLOAD = {
    "metadata": {"name": "big"},
    "spec": {
        "model": {
            "weights": "700Gi", "kvCache": "64Gi", "overhead": "2Gi",
            "architecture": {"heads": 64, "kvHeads": 8, "layers": 80, "vocabSize": 128256, "hiddenSize": 8192},
        },
        "backend": {"name": "vllm"},
        "selector": {"matchLabels": {"zone": "a"}},
    },
}  # fmt: skip


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """Every worker with every failing check, as a document; the cluster has been read already."""
    planner, _ = planner_of(CLUSTER)
    (request,) = read_sized_workloads([Document(WORKLOAD, "workload")])

    def work() -> None:
        document = why_document(explain(planner, request))
        if len(document["workers"]) != 5_000 or document["verdict"] != "infeasible":
            raise AssertionError("why does not answer what was asked")

    seconds = interleaved({"why": lambda: work}, 3)["why"]
    yield Row("placement/why/5000", seconds, "s", 0.5, "<=")
