"""Prefer the endpoint with the shorter queue, up to a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.routing.factors.freshness import scores_by

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest

DEFAULT_THRESHOLD = 128
EMPTY_QUEUE = 0.5
"""The score of an empty queue, which is the best: the scorer is meant to stand beside others."""


@dataclass(frozen=True, slots=True)
class LoadAwareScorer:
    """Scores 0.5 where no request waits, 0 where the threshold or more wait, in proportion between.

    An endpoint whose queue is unknown, or was measured more than 2 s ago, gets the lowest score of the others.

    Parameters:
        threshold: the length of a queue from which on the score is 0; 0 or less means 128.
    """

    threshold: int = DEFAULT_THRESHOLD

    name = "load-aware-scorer"
    reads = ("waiting", "metrics_at_s")
    depends = Depends.TABLE
    storages = ("lists",)

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        return scores_by(rows.waiting, rows.metrics_at_s, cycle.now, self._of_queues)

    def _of_queues(self, queues: list[float]) -> list[float]:
        most = self.threshold if self.threshold > 0 else DEFAULT_THRESHOLD
        return [EMPTY_QUEUE * (1.0 - waiting / most) if waiting < most else 0.0 for waiting in queues]
