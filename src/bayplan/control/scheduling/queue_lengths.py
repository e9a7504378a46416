"""How long the queue is, by what its units wait for: asked for by metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.observing import QueueLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.control.clock import Clock
    from bayplan.control.scheduling.waiting import Waiting

READY = "ready"
"""The unit is tried as soon as it is its turn."""
STATES = (READY, "waiting", "partly", "infeasible", "blocked", "error")
"""Ready units, then the verdicts of units that were tried and sleep."""


class QueueLengths:
    """A `QueueView` of units that wait."""

    def __init__(self, waiting: Iterable[Waiting], clock: Clock) -> None:
        """`waiting` is looked through at every question."""
        self._waiting, self._clock = waiting, clock

    def lines(self) -> list[QueueLine]:
        now = self._clock()
        found = {state: [0, 0, now] for state in STATES}
        for each in self._waiting:
            line = found.setdefault(READY if each.ready or not each.verdict else each.verdict, [0, 0, now])
            line[0] += 1
            line[1] += each.pods
            line[2] = min(line[2], each.since_s)
        return [
            QueueLine(state, int(workloads), int(pods), max(0.0, now - since_s))
            for state, (workloads, pods, since_s) in found.items()
        ]
