"""Prefer the endpoint with fewer requests of this router in flight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.plugins import Depends
from bayplan.routing.factors.parameter_checks import at_least, between, refuse

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class ActiveRequestScorer:
    """Scores 1 for an idle endpoint; a busy one by how far it is from the busiest, (most − its own) / most.

    Parameters:
        idle_threshold: an endpoint with so many requests in flight, or fewer, is idle.
        max_busy_score: what the score of a busy endpoint is multiplied with.
    """

    idle_threshold: int = 0
    max_busy_score: float = 1.0

    name = "active-request-scorer"
    reads = ("inflight_requests",)
    depends = Depends.TABLE
    storages = ("lists",)
    needs = ("inflight-load-producer",)

    def __post_init__(self) -> None:
        refuse(at_least("idle_threshold", self.idle_threshold, 0), between("max_busy_score", self.max_busy_score, 0, 1))

    def score(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[float]:
        idle, most = self.idle_threshold, max(rows.inflight_requests, default=0)
        return [
            1.0 if active <= idle else (most - active) / most * self.max_busy_score for active in rows.inflight_requests
        ]
