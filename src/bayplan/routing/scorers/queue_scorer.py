"""Prefer the endpoint with the shorter queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.routing.factors.freshness import scores_by
from bayplan.routing.factors.ranges import fewest_first

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


class QueueScorer:
    """Scores how few requests wait: 1 for the fewest of the candidates, 0 for the most; 1 for all where they are equal.

    An endpoint whose queue is unknown, or was measured more than 2 s ago, gets the lowest score of the others.
    """

    name = "queue-scorer"
    reads = ("waiting", "metrics_at_s")
    depends = Depends.TABLE
    storages = ("lists",)

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        return scores_by(rows.waiting, rows.metrics_at_s, cycle.now, fewest_first)
