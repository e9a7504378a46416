"""Bands share the pool by weight, so that no band starves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.routing.plugin_kinds import BAND_SELECTION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(slots=True)
class WeightedBandPolicy:
    """Serves bands in proportion to their weights instead of the highest band always.

    While requests wait in several bands, each gets dispatches in proportion to its weight, so every band is served
    again after a bounded number of dispatches. A band whose queue was empty gets no arrears.

    Parameters:
        weights: the weight of a band by its priority, above 0.
        step: a band that is not listed has the weight of the next lower one times this; the lowest has 1. From 1 on.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    step: float = 2.0
    _passes: dict[int, float] = field(default_factory=dict, init=False, repr=False)
    _time: float = field(default=0.0, init=False, repr=False)

    name = "weighted-band-policy"
    kinds = (BAND_SELECTION,)

    def __post_init__(self) -> None:
        for priority, weight in self.weights.items():
            if weight <= 0:
                message = f"{weight} is not above 0"
                raise InputError(message, place=f"weights.{priority}", next="write a number such as 1")
        if self.step < 1:
            raise InputError(f"{self.step} is below 1", place="step", next="write a number such as 2")

    def next_band(self, priorities: Sequence[int]) -> int:
        # min() takes the first of equals, which is the highest band
        return min(priorities, key=self._pass)

    def served(self, priority: int, priorities: Sequence[int]) -> None:
        """Stride scheduling: each dispatch moves its band by 1/weight, and the band that is furthest behind is next."""
        self._time = self._pass(priority)
        self._passes[priority] = self._time + 1.0 / self._weight(priority, priorities)

    def _pass(self, priority: int) -> float:
        return max(self._passes.get(priority, 0.0), self._time)

    def _weight(self, priority: int, priorities: Sequence[int]) -> float:
        listed = self.weights.get(str(priority))
        if listed is not None:
            return listed
        return float(self.step ** sum(each < priority for each in priorities))
