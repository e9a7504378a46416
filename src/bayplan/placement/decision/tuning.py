"""What one workload changes about the strategy that serves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.cluster.workload import Shape


@dataclass(frozen=True, slots=True)
class Tuning:
    """Hashable: a scheduler is kept for each.

    `weights` are scorers by name, and `sample` is how many workers are scored, 0 for all of them.
    """

    weights: tuple[tuple[str, float], ...] = ()
    sample: int = 0


PLAIN = Tuning()


def tuning_of(shape: Shape) -> Tuning:
    """What a shape wants."""
    return Tuning(shape.weights, shape.max_workers_to_score or 0)
