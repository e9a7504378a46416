"""Room that is held back for higher bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bayplan.framework.errors import InputError
from bayplan.routing.plugin_kinds import USAGE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class PriorityHoldbackPolicy:
    """Gives the highest band `maxCeiling`, the lowest `minCeiling`, and bands between them something between.

    By `rank` the steps are even; by `value` they are in proportion to the priorities. One band alone has `maxCeiling`.

    Parameters:
        min_ceiling: of the lowest band; from 0, below 1.
        max_ceiling: of the highest band; above the minimum, at most 1.
        shape: how ceilings fall from band to band.
        domain: whether the ranks of bands count or their priorities.
    """

    min_ceiling: float
    max_ceiling: float = 1.0
    shape: Literal["linear"] = "linear"
    domain: Literal["rank", "value"] = "rank"

    name = "priority-holdback-policy"
    kinds = (USAGE_LIMIT,)
    is_patient = True

    def __post_init__(self) -> None:
        if not 0 <= self.min_ceiling < 1:
            message = f"{self.min_ceiling} is not between 0 and 1"
            raise InputError(message, place="minCeiling", next="write a number from 0 on that is below 1")
        if not self.min_ceiling < self.max_ceiling <= 1:
            message = f"{self.max_ceiling} is not above minCeiling ({self.min_ceiling}) and at most 1"
            raise InputError(message, place="maxCeiling", next="write a larger one, at most 1")

    def ceilings(self, priorities: Sequence[int], saturation: float) -> list[float]:
        if len(priorities) == 1:
            return [self.max_ceiling]
        span = self.max_ceiling - self.min_ceiling
        if self.domain == "rank":
            steps = len(priorities) - 1
            return [self.max_ceiling - place * span / steps for place in range(len(priorities))]
        highest, lowest = priorities[0], priorities[-1]
        return [self.min_ceiling + (each - lowest) / (highest - lowest) * span for each in priorities]

    def attempted(self, priority: int) -> None:
        """Nothing is remembered."""
