"""The placement-like profile of the benchmark: five filters, five weighted factors, cards chosen by table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.pickers.max_score import MaxScore
from bayplan.framework.plugins import Resolution
from bayplan.framework.profile import Profile, Weighted
from bayplan.framework.reasons import Reasons
from bayplan.framework.twins import Twin
from bench.fleet import DEAREST_USD_PER_HOUR, FULL, subsets

if TYPE_CHECKING:
    from bayplan.framework.plugins import BoolArray, FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.framework.table import Table
    from bench.fleet import Ask


class Labels:
    name = "labels"
    reads = ("ready", "labels")

    def mask(self, ask: Ask, rows: Rows, cycle: Any) -> BoolArray:
        return rows.ready & (rows.labels & ask.labels == ask.labels)

    def explain(self, ask: Ask, rows: Rows, cycle: Any) -> Reasons:
        return Reasons("label-mismatch", missing=ask.labels & ~rows.labels)


class Model:
    name = "model"
    reads = ("model",)

    def mask(self, ask: Ask, rows: Rows, cycle: Any) -> BoolArray:
        return (rows.model & ask.models) != 0

    def explain(self, ask: Ask, rows: Rows, cycle: Any) -> Reasons:
        return Reasons("gpu-model-mismatch", model=rows.model)


def at_least(needed: int, free: int) -> bool:
    return free >= needed


def quotient(part: int, whole: float) -> float:
    return part / whole


def looked_up(quality: Any, topology: int, free: int) -> float:
    return quality[topology + free]


class Cpu:
    name = "cpu"
    reads = ("cpu_free_milli",)

    def mask(self, ask: Ask, rows: Rows, cycle: Any) -> BoolArray:
        return rows.cpu_free_milli >= ask.cpu_milli

    def twin(self, ask: Ask, shared: Any) -> Twin:
        return Twin(at_least, (ask.cpu_milli,))

    def explain(self, ask: Ask, rows: Rows, cycle: Any) -> Reasons:
        return Reasons("cpu-short", curable=True, unit="m", needed=ask.cpu_milli, free=rows.cpu_free_milli)


class Ram:
    name = "ram"
    reads = ("ram_free_mib",)

    def mask(self, ask: Ask, rows: Rows, cycle: Any) -> BoolArray:
        return rows.ram_free_mib >= ask.ram_mib

    def twin(self, ask: Ask, shared: Any) -> Twin:
        return Twin(at_least, (ask.ram_mib,))

    def explain(self, ask: Ask, rows: Rows, cycle: Any) -> Reasons:
        return Reasons("ram-short", curable=True, unit="MiB", needed=ask.ram_mib, free=rows.ram_free_mib)


class FreeGpus:
    name = "free-gpus"
    reads = ("free_gpus",)

    def mask(self, ask: Ask, rows: Rows, cycle: Any) -> BoolArray:
        return rows.free_gpus >= ask.gpus

    def twin(self, ask: Ask, shared: Any) -> Twin:
        return Twin(at_least, (ask.gpus,))

    def explain(self, ask: Ask, rows: Rows, cycle: Any) -> Reasons:
        return Reasons("gpu-count-short", curable=True, needed=ask.gpus, free=rows.free_gpus)


class Availability:
    name = "availability"
    reads = ("free_gpus", "gpus")

    def score(self, ask: Ask, rows: Rows, cycle: Any) -> FloatArray:
        return rows.free_gpus / rows.gpus

    def twin(self, ask: Ask, shared: Any) -> Twin:
        return Twin(quotient)


class Topology:
    """The bandwidth of the best set of free cards, from a table made once."""

    name = "topology"
    reads = ("topology", "free_mask")

    def __init__(self) -> None:
        self._quality = list(subsets()[0])

    def score(self, ask: Ask, rows: Rows, cycle: Any) -> FloatArray:
        return self._quality[ask.gpus].take(rows.topology + rows.free_mask)

    def twin(self, ask: Ask, shared: Any) -> Twin:
        return Twin(looked_up, (self._quality[ask.gpus],))


class Cache:
    name = "cache"
    reads = ("cached",)

    def score(self, ask: Ask, rows: Rows, cycle: Any) -> FloatArray:
        return ((rows.cached & ask.weights) != 0).astype(np.float64)


class Cost:
    name = "cost"
    reads = ("cost_usd_per_hour",)

    def score(self, ask: Ask, rows: Rows, cycle: Any) -> FloatArray:
        return 1.0 - rows.cost_usd_per_hour / DEAREST_USD_PER_HOUR


class Locality:
    name = "locality"
    reads = ("zone",)

    def score(self, ask: Ask, rows: Rows, cycle: Any) -> FloatArray:
        return np.where(rows.zone == ask.zone, 1.0, 0.5)


class Cards:
    """Turns a picked worker into cards, and says what its columns would be once they are taken."""

    name = "cards"

    def __init__(self) -> None:
        self._chosen = subsets()[1]

    def resolve(self, ask: Ask, table: Table, row: int, cycle: Any) -> Resolution:
        columns = table.columns
        free = columns["free_mask"].item(row)
        cards = self._chosen[ask.gpus][columns["topology"].item(row) + free]
        return Resolution(
            cards,
            {
                row: {
                    "cpu_free_milli": columns["cpu_free_milli"].item(row) - ask.cpu_milli,
                    "ram_free_mib": columns["ram_free_mib"].item(row) - ask.ram_mib,
                    "free_gpus": columns["free_gpus"].item(row) - ask.gpus,
                    "free_mask": free & (FULL ^ cards),
                }
            },
        )


WEIGHTS = {"availability": 0.30, "topology": 0.25, "cache": 0.20, "cost": 0.15, "locality": 0.10}


def profile() -> Profile:
    """The profile that all variants mean."""
    scorers = (Availability(), Topology(), Cache(), Cost(), Locality())
    return Profile(
        "five-factors",
        MaxScore(),
        filters=(Labels(), Model(), Cpu(), Ram(), FreeGpus()),
        scorers=tuple(Weighted(scorer, WEIGHTS[scorer.name]) for scorer in scorers),
        resolver=Cards(),
    )
