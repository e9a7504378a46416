"""Prefer the endpoint with more free KV cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.routing.factors.freshness import scores_by

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


class KvCacheUtilizationScorer:
    """Scores the free share of the KV cache, 1 − usage.

    An endpoint whose usage is unknown, or was measured more than 2 s ago, gets the lowest score of the others.
    """

    name = "kv-cache-utilization-scorer"
    reads = ("kv_usage", "metrics_at_s")
    depends = Depends.TABLE
    storages = ("lists",)

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        return scores_by(rows.kv_usage, rows.metrics_at_s, cycle.now, _free)


def _free(usages: list[float]) -> list[float]:
    return [1.0 - usage for usage in usages]
