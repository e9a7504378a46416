"""Headrooms: how far an endpoint's predicted latency stays below what the request asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bayplan.routing.requests.routed_request import RoutedRequest


class Headroom(NamedTuple):
    """Milliseconds that are left of both objectives; negative where an objective is missed."""

    ttft_ms: float
    tpot_ms: float

    @property
    def meets_both(self) -> bool:
        return self.ttft_ms >= 0.0 and self.tpot_ms >= 0.0


def headroom_of(request: RoutedRequest, ttft_ms: float | None, tpot_ms: float | None) -> Headroom | None:
    """The headroom on an endpoint with this prediction, None without one; an objective that is not set counts as 0."""
    if ttft_ms is None or tpot_ms is None:
        return None
    return Headroom((request.slo_ttft_ms or 0.0) - ttft_ms, (request.slo_tpot_ms or 0.0) - tpot_ms)
