"""What one workload changes about the strategy that serves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.cluster.workload import Shape
    from bayplan.framework.plugins import Filter


@dataclass(frozen=True, slots=True)
class Tuning:
    """Hashable: a scheduler is kept for each.

    `constraints` are filters of rules about the whole workload, `weights` are scorers by name, and `sample` is how many
    workers are scored, 0 for all of them.
    """

    constraints: tuple[Filter, ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    sample: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether every replica is asked about by itself, whatever the others do."""
        return not self.constraints and not self.sample


PLAIN = Tuning()


def tuning_of(shape: Shape, constraints: tuple[Filter, ...]) -> Tuning:
    """What a shape wants beside these constraints."""
    return Tuning(constraints, shape.weights, shape.max_workers_to_score or 0)
