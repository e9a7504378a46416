"""What was measured on a worker and its cards, in percent; None is "not measured", never idle."""

from __future__ import annotations

from dataclasses import dataclass

from bayplan.cluster.gpu import CardId
from bayplan.cluster.places import repeated
from bayplan.cluster.quantities import refuse_negative
from bayplan.framework.errors import InputError


@dataclass(frozen=True, slots=True)
class GpuUtilization:
    """The measurements of one card."""

    index: int
    runtime: str = "cuda"
    gpu_percent: float | None = None
    gpu_stdev: float | None = None
    memory_percent: float | None = None
    memory_stdev: float | None = None
    memory_bandwidth_percent: float | None = None
    cyclic: bool | None = None
    period_s: float | None = None
    job_type: str | None = None

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "index": self.index,
                "gpuPercent": self.gpu_percent,
                "gpuStdev": self.gpu_stdev,
                "memoryPercent": self.memory_percent,
                "memoryStdev": self.memory_stdev,
                "memoryBandwidthPercent": self.memory_bandwidth_percent,
                "period": self.period_s,
            }
        )

    @property
    def card(self) -> CardId:
        return CardId(self.runtime, self.index)


@dataclass(frozen=True, slots=True)
class Utilization:
    """The measurements of a worker and how old they are; not every source says when it measured."""

    age_s: float | None = None
    cpu_percent: float | None = None
    cpu_stdev: float | None = None
    ram_percent: float | None = None
    ram_stdev: float | None = None
    gpus: tuple[GpuUtilization, ...] = ()

    def __post_init__(self) -> None:
        refuse_negative(
            {
                "ageSeconds": self.age_s,
                "cpuPercent": self.cpu_percent,
                "cpuStdev": self.cpu_stdev,
                "ramPercent": self.ram_percent,
                "ramStdev": self.ram_stdev,
            }
        )
        if again := repeated(gpu.card for gpu in self.gpus):
            number, card = again
            raise InputError(
                f"card {card} is measured twice", place=f"gpus[{number}].index", next="keep one measurement a card"
            )

    def of(self, card: CardId) -> GpuUtilization | None:
        """The measurements of that card."""
        return next((gpu for gpu in self.gpus if gpu.card == card), None)
