"""Smaller cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.readable import format_mib
from bayplan.placement.answers.changes.edits import with_gpus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.cluster.workload import Shape
    from bayplan.placement.answers.changes.ladder import Ladder
    from bayplan.placement.answers.changes.look import ExaminedRole, Look

CHANGE = "card-memory"


def ladders(look: Look) -> Iterator[Ladder]:
    """The sizes of the cluster's cards below the one asked for, the largest first."""
    for part in look.parts:
        least = part.gpus.card_memory_mib if part.gpus else None
        sizes = {gpu.memory_mib for worker in look.workers for gpu in worker.gpus} if least else set()
        if least and (smaller := sorted((size for size in sizes if size and size < least), reverse=True)):
            yield _ladder(part, least, smaller)


def _at_least(shape: Shape, size_mib: int) -> Shape:
    return with_gpus(shape, card_memory_mib=size_mib)


def _ladder(part: ExaminedRole, now: int, smaller: Sequence[int]) -> Ladder:
    return part.ladder(
        CHANGE,
        "gpus.cardMemory",
        now,
        smaller,
        _at_least,
        lambda step, _: f"allow cards of {format_mib(step)} instead of {format_mib(now)}",
        named=format_mib,
    )
