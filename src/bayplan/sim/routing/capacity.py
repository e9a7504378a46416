"""Capacity: the highest speed of a trace at which a criterion holds, on a grid of 4 %."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Final

from bayplan.sim.routing.result import CRITERIA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.sim.routing.policies import Policy
    from bayplan.sim.routing.scenario import Scenario

STEP: Final = 1.04
"""Neighbours on the grid differ by this factor; one step apart is a tie."""

LOWEST, HIGHEST = -100, 176
"""Steps: from a fiftieth to a thousand times the trace's own speed. A criterion that fails at the lowest counts as met
just below it; one that holds at the highest has no limit that matters (a trace of a few requests, say)."""

FIRST_STRIDE: Final = 2
"""Steps from the guess to the second speed that is tried; each further one is twice as far."""


class CapacitySearch:
    """Finds the four capacities of a policy with as few replays as it can.

    It takes for granted that what holds at a speed holds at lower speeds. So every replay is asked about all criteria
    that are still open at its speed, and ends once it has failed them all. A good guess saves replays; it does not
    change the answer.
    """

    def __init__(self, scenario: Scenario, policy: str | Policy, guess: float = 1.0) -> None:
        self._scenario = scenario
        self._policy = policy
        self._first = round(log(guess) / log(STEP))
        self._met: dict[int, Mapping[str, bool]] = {}  # by step, of the criteria that were open there

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
        below, above = self._known(criterion)
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

    def _known(self, criterion: str) -> tuple[int | None, int | None]:
        """The highest step at which the criterion is known to hold, and the lowest at which it is known to fail."""
        found = [(step, met[criterion]) for step, met in self._met.items() if criterion in met]
        return (
            max((step for step, holds in found if holds), default=None),
            min((step for step, holds in found if not holds), default=None),
        )

    def _is_open(self, criterion: str, step: int) -> bool:
        below, above = self._known(criterion)
        return (below is None or below < step) and (above is None or step < above)

    def _holds(self, criterion: str, step: int) -> bool:
        if criterion in self._met.get(step, ()):
            return self._met[step][criterion]
        asked = "".join(name for name in CRITERIA if self._is_open(name, step))
        met = self._scenario.replay(self._policy, STEP**step, criteria=asked).met
        self._met[step] = {name: met[name] for name in asked}
        return self._met[step][criterion]
