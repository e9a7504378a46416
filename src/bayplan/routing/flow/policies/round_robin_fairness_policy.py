"""Flows take turns."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import FAIRNESS

if TYPE_CHECKING:
    from bayplan.routing.flow.band import Band


class RoundRobinFairnessPolicy:
    """Serves flows by name: the next one in which a request waits, after the last that was served."""

    name = "round-robin-fairness-policy"
    kinds = (FAIRNESS,)

    def __init__(self) -> None:
        self._last: dict[int, str] = {}

    def next_flow(self, band: Band, now: float) -> str:
        flows, last = band.flows, self._last.get(band.priority)
        place = 0 if last is None else bisect_right(flows, last)
        return flows[place % len(flows)]

    def take_over(self, former: RoundRobinFairnessPolicy) -> None:
        """Go on where the former one stopped."""
        self._last.update(former._last)

    def served(self, band: Band, flow: str) -> None:
        self._last[band.priority] = flow
