"""Prefer workers whose load would be low and steady."""

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

_FIELDS = {
    "gpu": ("gpuPercent", "gpuStdev"),
    "gpu-memory": ("memoryPercent", "memoryStdev"),
    "cpu": ("cpuPercent", "cpuStdev"),
    "ram": ("ramPercent", "ramStdev"),
}
_OF_CARDS = ("gpu", "gpu-memory")


@dataclass(frozen=True, slots=True)
class LoadRisk:
    """Scores 1 - (m + d) / 2 for the worst of the resources on the worst of the cards that would be given.

    m is the measured mean and what the workload asks for together, as a part of the capacity and at most 1; d is
    `margin` times the measured deviation, after its root of order `sensitivity`, between 0 and 1. So a steady card
    beats one whose use varies.

    Of the compute of a card the workload asks for its `computePercent`, else the most of its `dryRun` on that model,
    else all. A resource whose mean is not measured, or too long ago, scores 0, with a note; a deviation that is not
    known counts 0 and is named.

    Parameters:
        resources: which resources are looked at: gpu, gpu-memory, cpu, ram.
        margin: how much the deviation counts; below 0 it does not.
        sensitivity: the order of the root of the deviation, a higher one makes small deviations count more; at 0 only
            one of 100 percent counts, below 0 it is taken as it is.
        max_age_seconds: what was measured longer ago is not known any more.
    """

    resources: tuple[Literal["gpu", "gpu-memory", "cpu", "ram"], ...] = ("gpu", "gpu-memory")
    margin: float = 1.0
    sensitivity: float = 1.0
    max_age_seconds: float = measured.MAX_AGE_S

    name = "load-risk"
    reads = tuple(dict.fromkeys((*measured.READS, *expected.READS, "cpu_milli", "ram_mib")))

    def __post_init__(self) -> None:
        if not self.resources:
            raise InputError("no resource is listed", place="resources", next=f"list some of {', '.join(_FIELDS)}")
        measured.refuse_age(self.max_age_seconds)

    def score(self, ask: Ask, rows: Rows, cycle: Cycle) -> FloatArray:
        seen, looked_at = self._seen(rows), self._looked_at(ask)
        if not looked_at:
            return np.zeros(rows.size)
        risks = [self._risk(ask, rows, seen, resource) for resource in looked_at]
        score: FloatArray = 1.0 - np.maximum.reduce(risks)
        return score

    def note(self, ask: Ask, rows: Rows, cycle: Cycle) -> list[str]:
        looked_at = self._looked_at(ask)
        if not looked_at:
            return ["the workload takes no cards"] * rows.size
        seen = self._seen(rows)
        missing = {
            field: measured.lacking(seen[field], rows.chosen) for resource in looked_at for field in _FIELDS[resource]
        }
        if "cpu" in looked_at:
            missing["cpu"] = rows.cpu_milli < 0
        if "ram" in looked_at:
            missing["ram"] = rows.ram_mib < 0
        if "gpu-memory" in looked_at:
            missing["memory"] = ((rows.card_memory_mib < 0) & rows.chosen).any(1)
        return measured.notes(seen, missing, rows.size)

    def _looked_at(self, ask: Ask) -> list[str]:
        """A workload without cards has no risk on any."""
        return [each for each in self.resources if ask.taking is not Taking.NOTHING or each not in _OF_CARDS]

    def _seen(self, rows: WorkerRows) -> Measured:
        fields = [field for resource in self.resources for field in _FIELDS[resource]]
        return measured.measure(rows, fields, self.max_age_seconds)

    def _risk(self, ask: Ask, rows: WorkerRows, seen: Measured, resource: str) -> FloatArray:
        """Of each row the largest, 1 where the mean is not known or no card is given."""
        mean, deviation = (np.minimum(seen[field] / 100, 1.0) for field in _FIELDS[resource])
        load = np.minimum(mean + _requested(ask, rows, resource), 1.0)
        risk = (load + self._spread(np.nan_to_num(deviation, nan=0.0))) / 2
        risk = np.where(np.isnan(risk), 1.0, risk)
        if resource not in _OF_CARDS:
            return risk
        worst: FloatArray = np.where(rows.chosen, risk, 0.0).max(1, initial=0.0)
        return np.where(rows.chosen.any(1), worst, 1.0)

    def _spread(self, deviation: FloatArray) -> FloatArray:
        if self.sensitivity > 0:
            deviation = deviation ** (1 / self.sensitivity)
        elif self.sensitivity == 0:
            deviation = np.where(deviation >= 1.0, 1.0, 0.0)
        return np.clip(self.margin * deviation, 0.0, 1.0)


def _requested(ask: Ask, rows: WorkerRows, resource: str) -> FloatArray:
    """As a part of the capacity; NaN where that is not known."""
    if resource == "gpu":
        return expected.gpu_percent(ask, rows) / 100
    if resource == "gpu-memory":
        return expected.card_mib(ask, rows) / _known(rows.card_memory_mib)
    asked, offered = (ask.cpu_milli, rows.cpu_milli) if resource == "cpu" else (ask.ram_mib, rows.ram_mib)
    part: FloatArray = (asked or 0) / _known(offered)
    return part


def _known(capacity: Any) -> FloatArray:
    return np.where(capacity > 0, capacity, np.nan)
