"""A larger MIG profile, where the one that is asked for cannot be had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.mig import profile_memory_mib
from bayplan.placement.answers.changes.edits import with_gpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.worker import Worker
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "mig-profile"
MOST_DIGITS = 4


def ladders(look: Look) -> Iterator[Ladder]:
    """The profiles of the cluster with as much memory and compute, the smallest first."""
    for part in look.parts:
        now = part.gpus.mig if part.gpus else None
        larger = [] if now is None else _larger(look, now.lower())
        if now is not None and larger:
            yield _ladder(part, now, larger)


def _larger(look: Look, now: str) -> list[str]:
    least = _size(now)
    if least is None:
        return []
    sizes = {name: size for worker in look.workers for name in _profiles(worker) if (size := _size(name)) is not None}
    found = [name for name, size in sizes.items() if name != now and size[0] >= least[0] and size[1] >= least[1]]
    return sorted(found, key=lambda name: (sizes[name], name))


def _profiles(worker: Worker) -> Iterator[str]:
    yield from (name.lower() for name in worker.mig_slices)
    for gpu in worker.gpus:
        if gpu.mig is not None:
            yield from (each.profile.lower() for each in gpu.mig.slices)
            yield from gpu.geometry.by_name if gpu.geometry and gpu.mig.reconfigurable else ()


def _size(name: str) -> tuple[int, int] | None:
    """Memory and compute slices; None where the name says no size that any card could have."""
    memory_mib, compute = profile_memory_mib(name), name.split("g", 1)[0]
    return None if memory_mib is None or len(compute) > MOST_DIGITS else (memory_mib, int(compute))


def _ladder(part: ExaminedRole, now: str, steps: list[str]) -> Ladder:
    return part.ladder(
        CHANGE,
        "gpus.mig",
        now,
        steps,
        lambda shape, step: with_gpus(shape, mig=step),
        lambda step, _: f"ask for {step} instead of {now}",
        monotone=False,
    )
