"""Lower bands slow down as the pool fills, instead of stopping."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import USAGE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence


class SoftReflectiveCeilingPolicy:
    """Lets lower bands dispatch less often the fuller the pool is, and not at all once it is full.

    The top band, or the only one, has ceiling 1. Band i of N (the top one is 0) has ceiling 1 while the saturation s is
    below 1 − i·s/(N − 1), and 0 from s = 1 on; between them 1 in one of k attempts, k = max(1, round(s/(1 − s))).
    """

    name = "soft-reflective-ceiling-policy"
    kinds = (USAGE_LIMIT,)
    is_patient = False

    def __init__(self) -> None:
        self._attempts: dict[int, int] = {}

    def ceilings(self, priorities: Sequence[int], saturation: float) -> list[float]:
        last = len(priorities) - 1
        return [
            1.0 if not place or saturation < 1 - place * saturation / last else self._opening(priority, saturation)
            for place, priority in enumerate(priorities)
        ]

    def attempted(self, priority: int) -> None:
        self._attempts[priority] = self._attempts.get(priority, 0) + 1

    def _opening(self, priority: int, saturation: float) -> float:
        if saturation >= 1:
            return 0.0
        every = max(1, floor(saturation / (1 - saturation) + 0.5))
        # the last of `every` attempts, so that a band that fills the pool quickly has to wait first
        return 1.0 if self._attempts.get(priority, 0) % every == every - 1 else 0.0
