"""One ceiling for all bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import USAGE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class StaticUsageLimitPolicy:
    """Lets every band fill the pool up to the same saturation.

    Parameters:
        threshold: requests are dispatched while the saturation is below it.
    """

    threshold: float = 1.0

    name = "static-usage-limit-policy"
    kinds = (USAGE_LIMIT,)
    is_patient = True

    def ceilings(self, priorities: Sequence[int], saturation: float) -> list[float]:
        return [self.threshold] * len(priorities)

    def attempted(self, priority: int) -> None:
        """Nothing is remembered."""
