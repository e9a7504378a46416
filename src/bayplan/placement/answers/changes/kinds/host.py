"""Less CPU, or less RAM."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_cpu, format_mib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CPU = "cpu"
RAM = "ram"
STEP_MILLI = 500
STEP_MIB = 256


def ladders(look: Look) -> Iterator[Ladder]:
    """CPU in steps of half a core, RAM in steps of 256 MiB, the largest first."""
    for part in look.parts:
        if cpu := part.shape.cpu_milli:
            yield _less_cpu(part, cpu)
        if ram := part.shape.ram_mib:
            yield _less_ram(part, ram)


def _less_cpu(part: ExaminedRole, now: int) -> Ladder:
    return part.ladder(
        CPU,
        "cpu",
        now / 1000,
        range((now - 1) // STEP_MILLI * STEP_MILLI, 0, -STEP_MILLI),
        lambda shape, step: replace(shape, cpu_milli=step),
        lambda step, _: f"CPU {format_cpu(now)} -> {format_cpu(step)}",
        named=format_cpu,
        shown=lambda step: step / 1000,
    )


def _less_ram(part: ExaminedRole, now: int) -> Ladder:
    return part.ladder(
        RAM,
        "ram",
        now,
        range((now - 1) // STEP_MIB * STEP_MIB, 0, -STEP_MIB),
        lambda shape, step: replace(shape, ram_mib=step),
        lambda step, _: f"RAM {format_mib(now)} -> {format_mib(step)}",
        named=format_mib,
    )
