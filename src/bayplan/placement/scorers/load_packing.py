"""Prefer the worker whose load would come closest to a target from below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayplan.framework.errors import InputError
from bayplan.placement.asks.ask import Taking
from bayplan.placement.factors import expected, measured

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import FloatArray
    from bayplan.framework.rows import Rows
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.cards.rows import WorkerRows
    from bayplan.placement.factors.measured import Measured

_FIELDS = {"gpu": "gpuPercent", "gpu-memory": "memoryPercent", "cpu": "cpuPercent"}
_ROUNDING = 1e-9
"""The score falls steeply behind the target, so the last digit of a sum must not decide."""


@dataclass(frozen=True, slots=True)
class LoadPacking:
    """Scores how near the load of a resource would come to a target from below.

    The load is what was measured and what the workload is expected to use together. The score rises from
    `targetPercent` / 100 at no load to 1 at the target, falls to that value just behind it, and from there to 0 at 100
    percent. So workers fill up to the target before others are touched, and beyond it the less loaded one is taken.

    Of `gpu` a workload is expected to use its `computePercent`, else the most of its `dryRun` on that model, else all;
    of `gpu-memory` what it would book; of `cpu` what it asks for, and a Pod, container by container, its limit, else
    one and a half times its request, else one core. Several cards count together. What is not measured, or too long
    ago, scores 0, with a note.

    Parameters:
        resource: whose load it is: gpu, gpu-memory or cpu.
        target_percent: the load that scores 1, above 0 and below 100.
        max_age_seconds: what was measured longer ago is not known any more.
    """

    resource: Literal["gpu", "gpu-memory", "cpu"] = "gpu"
    target_percent: float = 40.0
    max_age_seconds: float = measured.MAX_AGE_S

    name = "load-packing"
    reads = tuple(dict.fromkeys((*measured.READS, *expected.READS, "cpu_milli")))

    def __post_init__(self) -> None:
        if not 0 < self.target_percent < 100:
            message = f"{self.target_percent:g} percent are no target"
            raise InputError(message, place="target_percent", next="write more than 0 and less than 100, such as 40")
        measured.refuse_age(self.max_age_seconds)

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        return towards(self._load(ask, rows, self._seen(rows)), self.target_percent)

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        if self.resource != "cpu" and ask.taking is Taking.NOTHING:
            return ["the workload takes no cards"] * rows.size
        seen, field = self._seen(rows), _FIELDS[self.resource]
        missing = {field: measured.lacking(seen[field], rows.chosen)}
        if self.resource == "cpu":
            missing["cpu"] = rows.cpu_milli < 0
        if self.resource == "gpu-memory":
            missing["memory"] = ((rows.card_memory_mib < 0) & rows.chosen).any(1)
        return measured.notes(seen, missing, rows.size)

    def _seen(self, rows: WorkerRows) -> Measured:
        return measured.measure(rows, (_FIELDS[self.resource],), self.max_age_seconds)

    def _load(self, ask: Ask, rows: WorkerRows, seen: Measured) -> FloatArray:
        """In percent; NaN where it is not known."""
        percent = seen[_FIELDS[self.resource]]
        if self.resource == "cpu":
            offered = np.where(rows.cpu_milli > 0, rows.cpu_milli, np.nan)
            load: FloatArray = percent + 100 * expected.limited_cpu_milli(ask) / offered
            return load
        if self.resource == "gpu":
            return _together(percent + expected.gpu_percent(ask, rows), np.full(percent.shape, 100.0), rows.chosen)
        size = np.where(rows.card_memory_mib > 0, rows.card_memory_mib, np.nan)
        return _together(percent * size / 100 + expected.card_mib(ask, rows), size, rows.chosen)


def _together(used: FloatArray, capacity: FloatArray, chosen: Any) -> FloatArray:
    """The load of several cards as of one large one, in percent; NaN without cards."""
    whole = np.where(chosen, capacity, 0.0).sum(1)
    load: FloatArray = 100 * np.where(chosen, used, 0.0).sum(1) / np.where(whole > 0, whole, np.nan)
    return load


def towards(load: FloatArray, target: float) -> FloatArray:
    """The score of a load in percent; 0 above 100, and where it is not known."""
    below = ((100 - target) * (np.minimum(load, target) / target) + target) / 100
    behind = target * (100 - load) / (100 - target) / 100
    score = np.where(load <= target + _ROUNDING, below, np.maximum(behind, 0.0))
    return np.where(np.isnan(load), 0.0, score)
