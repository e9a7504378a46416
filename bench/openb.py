"""The openb traces: workers, workloads in their order of arrival, and what others published about them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.cluster.worker import Worker
from bayplan.placement.asks.ask import Ask, CardShape, Taking

if TYPE_CHECKING:
    from pathlib import Path

WHOLE_MILLI = 1000
MODEL_LABEL = "gpu-model"


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A list of workloads, and the orders in which they arrive: for each seed the places in the list."""

    name: str
    asks: tuple[Ask, ...]
    arrivals: dict[int, tuple[int, ...]]


def size_milli(ask: Ask) -> int:
    """Thousandths of cards that an ask takes."""
    if ask.taking is Taking.NOTHING:
        return 0
    return ask.shapes[0].cards * (WHOLE_MILLI if ask.taking is Taking.WHOLE else ask.compute_milli)


def workers(folder: Path) -> tuple[Worker, ...]:
    """The workers with cards; the model of the cards is a label too, because a workload may accept several models
    and prefers none.
    """
    return tuple(
        Worker(
            line["sn"],
            labels=FrozenMap({MODEL_LABEL: line["model"]}),
            cpu_milli=int(line["cpu_milli"]),
            ram_mib=int(line["memory_mib"]),
            gpus=tuple(Gpu(index, model=line["model"]) for index in range(int(line["gpu"]))),
        )
        for line in _lines(folder / "openb_node_list_gpu_node.csv")
    )


def traces(folder: Path) -> list[Trace]:
    """Every trace of which there are arrivals."""
    orders: dict[str, dict[int, tuple[int, ...]]] = {}
    for path in sorted((folder / "arrivals").glob("*_seed*.npy")):
        name, seed = path.stem.rsplit("_seed", 1)
        orders.setdefault(name, {})[int(seed)] = tuple(np.load(path).tolist())
    return [Trace(name, _asks(folder / f"openb_pod_list_{name}.csv"), orders[name]) for name in orders]


def published(folder: Path, trace: str, seeds: set[int]) -> dict[str, dict[int, float]]:
    """By policy (`01-Random` …) and percent arrived the mean allocation over these seeds; empty without a file."""
    path = folder / "expected_results" / "allocation.csv"
    found: dict[str, dict[int, list[float]]] = {}
    for line in _lines(path) if path.exists() else ():
        if line["workload"] != f"openb_pod_list_{trace}" or int(line["seed"]) not in seeds:
            continue
        for percent, value in line.items():
            if percent.isdecimal() and value:
                found.setdefault(line["sc_policy"], {}).setdefault(int(percent), []).append(float(value))
    return {policy: {key: sum(each) / len(each) for key, each in row.items()} for policy, row in found.items()}


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _asks(path: Path) -> tuple[Ask, ...]:
    return tuple(
        _ask(
            int(line["cpu_milli"]),
            int(line["memory_mib"]),
            int(line["num_gpu"]),
            int(line["gpu_milli"]),
            line.get("gpu_spec") or "",
        )
        for line in _lines(path)
    )


@cache
def _ask(cpu_milli: int, ram_mib: int, cards: int, milli: int, models: str) -> Ask:
    """One object for equal workloads."""
    allowed = tuple(sorted(models.split("|"))) if models else ()
    selector = Selector((Requirement(MODEL_LABEL, Operator.IN, allowed),)) if allowed else Selector()
    if not cards:
        return Ask(cpu_milli=cpu_milli, ram_mib=ram_mib, selector=selector)
    whole = milli >= WHOLE_MILLI
    return Ask(
        taking=Taking.WHOLE if whole else Taking.SHARE,
        shapes=(CardShape(cards),),
        compute_milli=0 if whole else milli,
        cpu_milli=cpu_milli,
        ram_mib=ram_mib,
        selector=selector,
    )
