"""What many workloads cost through `bayplan.plan`, dicts in and documents out; and the first plan of the command."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import bayplan
from bayplan.library.planner import planner_of
from bench.documents import MODEL_8B, sized, workload
from bench.measure import Row, cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bayplan.placement.asks.sized_workload import SizedWorkload
    from bayplan.placement.planning.planner import Planner
    from bench.measure import Work

MIB = 1024
"""The kernel counts KiB."""

ROOT = Path(__file__).parents[1]
FIRST_PLAN = (
    *("-m", "bayplan", "plan", "-f", "examples/workloads/chat-8b.yaml"),
    *("--cluster", "examples/clusters/mixed-fleet.yaml"),
)
MODELS = (
    {"weights": "15Gi", "architecture": {"heads": 32, "kvHeads": 8, "layers": 32, "headDim": 128,
                                         "vocabSize": 128256, "hiddenSize": 4096}},
    {"weights": "61Gi", "architecture": {"heads": 40, "kvHeads": 8, "layers": 64, "headDim": 128,
                                         "vocabSize": 152064, "hiddenSize": 5120}},
    {"weights": "131Gi", "architecture": {"heads": 64, "kvHeads": 8, "layers": 80, "headDim": 128,
                                          "vocabSize": 128256, "hiddenSize": 8192}},
)  # fmt: skip
BACKENDS = ("vllm", "sglang", "llama-cpp")
CARDS = (("H100-SXM5-80GB", "80Gi", 8, 55.04), ("A100-SXM4-80GB", "80Gi", 8, 29.2), ("L40S", "48Gi", 4, 7.2),
         ("RTX-4090", "24Gi", 2, 1.4))  # fmt: skip
SERVED = {"model": MODEL_8B, "backend": {"name": "vllm"}}
BEFORE_S = 8.6
"""What 16,000 equal replicas took before step 5."""
BEFORE_MS = 4.4
"""What each of 1,000 different workloads took before step 5."""
LEAST_PLANNED = 300
"""Workloads that a mean is taken of, at least: ten alone may happen to hold three gangs."""
MOST_GROWTH = 1.25
"""The mean of 3,000 may exceed that of 10 by the noise of a shared machine, not more."""


def rows(say: Callable[[str], None]) -> Iterator[Row]:
    """Different workloads, equal replicas, and the command from its first import to its last line."""
    seconds = _plan(1_000, 1_000)
    yield Row("placement/plan/1000-workloads/1000", seconds, "s", 3.0, "<=")
    seconds, peak_mib = _apart(5_000, 20_000)
    yield Row("placement/plan/5000-workloads/20000", seconds, "s", 20.0, "<=")
    yield Row("placement/plan/5000-workloads/20000/peak", peak_mib, "MiB", 700.0, "<=")
    yield from equal_replicas()
    yield Row("placement/plan/40000-replicas", _replicas({"gpus": {"count": 1}}, 40_000, 20_000), "s", 5.0, "<=")
    yield from flat()
    yield Row("placement/first-plan/11", _first_plan(), "s", 0.5, "<=")


def cluster(workers: int) -> dict[str, Any]:
    """Workers of four kinds in racks of ten, none of them held."""
    kinds = [_kind(number, pool) for number in range(len(CARDS)) for pool in range(workers // 40)]
    return {"apiVersion": "bayplan.io/v1alpha1", "kind": "Cluster", "workers": kinds}


def _kind(number: int, pool: int) -> dict[str, Any]:
    model, memory, count, price = CARDS[number]
    return {
        "name": f"{model.lower()}-{pool}", "count": 10, "labels": {"pool": f"p{pool % 5}"},
        "zone": f"z{number}", "rack": f"r{number}-{pool}", "cpu": 16 * count, "ram": f"{128 * count}Gi",
        "gpus": {"count": count, "model": model, "memory": memory}, "links": "nvswitch", "usdPerHour": price,
    }  # fmt: skip


def workloads(count: int, seed: int = 3) -> list[dict[str, Any]]:
    """Different workloads in no order: models by numbers, whole cards, shares by MiB, gangs; some fit nowhere."""
    chance = np.random.default_rng(seed)
    kinds = (_model, _model, _whole, _share, _share, _gang, _too_much)
    odds = np.array([3, 2, 3, 3, 2, 1, 0.5])
    picked = chance.choice(len(kinds), count, p=odds / odds.sum()).tolist()
    return [_document(f"job-{number}", kinds[kind](chance), chance) for number, kind in enumerate(picked)]


def _document(name: str, spec: dict[str, Any], chance: np.random.Generator) -> dict[str, Any]:
    if chance.random() < 0.2:
        spec["selector"] = {"matchLabels": {"pool": f"p{chance.integers(5)}"}}
    if chance.random() < 0.1:
        spec["cost"] = {"maxUsdPerHour": int(chance.integers(5, 200))}
    spec |= {"cpu": int(chance.integers(1, 9)), "ram": f"{chance.integers(1, 65)}Gi"}
    return workload(name, **spec)


def _model(chance: np.random.Generator) -> dict[str, Any]:
    model = MODELS[int(chance.choice(len(MODELS), p=(0.7, 0.2, 0.1)))]
    asked = {"context": int(chance.integers(1, 17)) * 1024, "concurrency": int(chance.integers(1, 17))}
    spec = {"model": {"name": "chat", **model, **asked}, "backend": {"name": str(chance.choice(BACKENDS))}}
    return spec | {"replicas": int(chance.integers(1, 4))}


def _whole(chance: np.random.Generator) -> dict[str, Any]:
    gpus: dict[str, Any] = {"count": int(chance.choice((1, 2, 4, 8), p=(0.6, 0.2, 0.15, 0.05)))}
    if chance.random() < 0.4:
        gpus["models"] = ["H100", "A100"] if chance.random() < 0.5 else ["L40S"]
    return {"gpus": gpus}


def _share(chance: np.random.Generator) -> dict[str, Any]:
    return {"gpus": {"memory": f"{chance.integers(512, 20_000)}Mi"}, "replicas": int(chance.integers(1, 3))}


def _gang(chance: np.random.Generator) -> dict[str, Any]:
    gang = {"minimum": 2} | ({"within": "rack"} if chance.random() < 0.5 else {})
    return {"gpus": {"count": 2}, "replicas": int(chance.integers(2, 5)), "gang": gang}


def _too_much(chance: np.random.Generator) -> dict[str, Any]:
    return {"gpus": {"memory": f"{chance.integers(100, 200)}Gi"}}


def _plan(count: int, workers: int) -> float:
    asked, on = workloads(count), cluster(workers)
    bayplan.plan(asked[0], cluster(40))  # loads the modules: `first-plan` counts those

    def work() -> None:
        document = bayplan.plan(asked, on)
        placed = sum(each["placed"] > 0 for each in document["items"])
        if len(document["items"]) != count or not count // 4 < placed < count:
            raise AssertionError(f"{placed} of {count} workloads are placed: that is another benchmark")

    return cpu_seconds(work)


def equal_replicas(replicas: int = 16_000, workers: int = 5_000) -> Iterator[Row]:
    """As many equal replicas as two thirds of the cards, in one plan: by cards, by memory, and of a model."""
    kinds = {"cards": {"gpus": {"count": 1}}, "memory": {"gpus": {"memory": "10Gi"}}, "model": SERVED}
    for kind, spec in kinds.items():
        seconds = _replicas(spec, replicas, workers)
        yield Row(f"placement/plan/{replicas}-replicas/{kind}", seconds, "s", 1.0, "<=", BEFORE_S)


def flat(counts: Sequence[int] = (10, 1_000, 3_000), workers: int = 5_000) -> Iterator[Row]:
    """What one of several different workloads costs, planned and booked: the same, however many come before it."""
    asked, on = sized(*workloads(max(counts))), cluster(workers)
    each_ms = {count: _each_ms(asked, count, on) for count in counts}
    for count, taken in each_ms.items():
        yield Row(f"placement/commit/{count}-workloads/{workers}", taken, "ms", 0.8, "<=", BEFORE_MS)
    least, most = min(counts), max(counts)
    ratio = each_ms[most] / each_ms[least]
    yield Row(f"placement/commit/{most}-vs-{least}-workloads/{workers}", ratio, "x", MOST_GROWTH, "<=", 1.0)


def _each_ms(asked: Sequence[SizedWorkload], count: int, on: dict[str, Any]) -> float:
    """Lists of a few workloads are all different parts of the same list, so that their mean is of the same mixture."""
    lists = [asked[begin : begin + count] for begin in range(0, min(len(asked), LEAST_PLANNED), count)]
    seconds = sum(cpu_seconds(_booking(planner_of(on)[0], some)) for some in lists)
    return seconds / sum(map(len, lists)) * 1e3


def _booking(planner: Planner, asked: Sequence[SizedWorkload]) -> Work:
    def run() -> None:
        for each in asked:
            planner.commit(planner.plan(each))

    return run


def _replicas(spec: dict[str, Any], replicas: int, workers: int) -> float:
    asked = workload("many", replicas=replicas, cpu=1, ram="4Gi", **spec)
    on = cluster(workers)

    def work() -> None:
        placed = bayplan.plan(asked, on)["placed"]
        if placed != replicas:
            raise AssertionError(f"{placed} of {replicas} replicas are placed: that is another benchmark")

    return cpu_seconds(work)


def _apart(count: int, workers: int) -> tuple[float, float]:
    """In a process of its own, so that its peak memory is not that of earlier rows."""
    code = f"from bench import many_workloads as many; print(many._plan({count}, {workers}), many.peak_mib())"
    done = subprocess.run((sys.executable, "-c", code), cwd=ROOT, check=True, capture_output=True, text=True)
    seconds, peak = map(float, done.stdout.split())
    return seconds, peak


def peak_mib() -> float:
    """The most memory that this process ever held; `ru_maxrss` would begin with that of the process that started it."""
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / MIB


def _first_plan() -> float:
    """The least of three runs of the command, imports included; its modules are compiled, as installed ones are."""
    found = []
    with tempfile.TemporaryDirectory() as compiled:
        env = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(4):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run((sys.executable, *FIRST_PLAN), cwd=ROOT, env=env, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found[1:])
