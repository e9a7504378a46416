"""A simulated worker: whether it lives, is heard, and how fast it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.sim.fleet.replica import Replica


@dataclass(slots=True, eq=False)
class SimulatedWorker:
    """Faults may overlap, so they are counted. `slowness` 3 makes everything take three times as long."""

    name: str
    failures: int = 0
    cuts: int = 0
    slowness: float = 1.0
    is_cutting: bool = False
    marked: str = ""
    """The fault that an annotation of its Node asks for."""
    replicas: dict[str, Replica] = field(default_factory=dict)

    @property
    def lives(self) -> bool:
        """Whether its machine runs."""
        return not self.failures

    @property
    def acts(self) -> bool:
        """Whether its heartbeats and reports arrive."""
        return not self.failures and not self.cuts
