"""The outcome of a try, or of several: which replicas found a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.gangs.trial import Trial


@dataclass(slots=True)
class Arrangement:
    """The best try so far; `exact` says that no other could hold more members."""

    trial: Trial
    placed: list[Replica]
    desired: int
    exact: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all replicas that are wanted have a place."""
        return len(self.placed) == self.desired

    def beats(self, other: Arrangement) -> bool:
        """Whether it holds more members."""
        return len(self.placed) > len(other.placed)
