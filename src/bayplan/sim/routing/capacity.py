"""Capacity: the highest speed of a trace at which a criterion holds, on a grid of 4 %."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Final

from bayplan.sim.routing.result import CRITERIA

if TYPE_CHECKING:
    from bayplan.sim.routing.scenario import Scenario

STEP: Final = 1.04
"""Neighbours on the grid differ by this factor; one step apart is a tie."""

LOWEST, HIGHEST = -100, 176
"""Steps: from a fiftieth to a thousand times the trace's own speed. A criterion that fails at the lowest counts as met
just below it; one that holds at the highest has no limit that matters (a trace of a few requests, say)."""

FIRST_STRIDE: Final = 4


class CapacitySearch:
    """Finds the four capacities of a policy with as few replays as it can: every replay answers all four questions.

    It takes for granted that what holds at a speed holds at lower speeds.
    """

    def __init__(self, scenario: Scenario, policy: str, guess: float = 1.0) -> None:
        self._scenario = scenario
        self._policy = policy
        self._first = round(log(guess) / log(STEP))
        self._met: dict[int, dict[str, bool]] = {}

    @property
    def replays(self) -> int:
        """How many were needed so far."""
        return len(self._met)

    def capacities(self) -> dict[str, float]:
        """The speed of each criterion."""
        return {name: STEP ** self._highest(name) for name in CRITERIA}

    def _highest(self, criterion: str) -> int:
        below, above = self._bracket(criterion)
        while above - below > 1:
            middle = (below + above) // 2
            if self._holds(criterion, middle):
                below = middle
            else:
                above = middle
        return below

    def _bracket(self, criterion: str) -> tuple[int, int]:
        """A step at which the criterion holds, and a higher one at which it does not."""
        below = max((step for step, met in self._met.items() if met[criterion]), default=None)
        above = min((step for step, met in self._met.items() if not met[criterion]), default=None)
        stride, step = FIRST_STRIDE, self._first
        while below is None or above is None:
            if below is not None:
                step, stride = below + stride, stride * 2
            elif above is not None:
                step, stride = above - stride, stride * 2
            step = min(max(step, LOWEST), HIGHEST)
            if self._holds(criterion, step):
                below, above = step, HIGHEST + 1 if step == HIGHEST else above
            else:
                above, below = step, LOWEST - 1 if step == LOWEST else below
        return below, above

    def _holds(self, criterion: str, step: int) -> bool:
        if step not in self._met:
            result = self._scenario.replay(self._policy, STEP**step, to_end=False)
            self._met[step] = result.met
        return self._met[step][criterion]
