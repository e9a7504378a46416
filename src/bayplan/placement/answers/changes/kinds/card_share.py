"""A smaller share of each card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_mib
from bayplan.placement.answers.changes.edits import with_gpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

MEMORY = "gpu-memory"
COMPUTE = "compute-share"
STEP_MIB = 256
STEP_MILLI = 10


def ladders(look: Look) -> Iterator[Ladder]:
    """Memory in steps of 256 MiB, compute in steps of one percent, the largest first."""
    for part in look.parts:
        gpus = part.gpus
        if gpus is not None and gpus.memory_mib:
            yield _less_memory(part, gpus.memory_mib)
        if gpus is not None and gpus.compute_milli:
            yield _less_compute(part, gpus.compute_milli)


def _less_memory(part: ExaminedRole, now: int) -> Ladder:
    return part.ladder(
        MEMORY,
        "gpus.memory",
        now,
        range((now - 1) // STEP_MIB * STEP_MIB, 0, -STEP_MIB),
        lambda shape, step: with_gpus(shape, memory_mib=step),
        lambda step, _: f"memory of a card {format_mib(now)} -> {format_mib(step)}",
        named=format_mib,
    )


def _less_compute(part: ExaminedRole, now: int) -> Ladder:
    return part.ladder(
        COMPUTE,
        "gpus.computePercent",
        now / 10,
        range((now - 1) // STEP_MILLI * STEP_MILLI, 0, -STEP_MILLI),
        lambda shape, step: with_gpus(shape, compute_milli=step),
        lambda step, _: f"compute of a card {now / 10:g} -> {step / 10:g} %",
        named=lambda step: f"{step / 10:g} %",
        shown=lambda step: step / 10,
    )
