"""Earliest promised first token first."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import ORDERING

if TYPE_CHECKING:
    from bayplan.routing.requests.routed_request import RoutedRequest

_MS_PER_S = 1000.0


@dataclass(frozen=True, slots=True)
class SloDeadlineOrderingPolicy:
    """Serves requests by arrival plus the time to first token that they ask for; without one, or below 0: last."""

    name = "slo-deadline-ordering-policy"
    kinds = (ORDERING,)

    def key(self, request: RoutedRequest, ttl_s: float | None) -> float:
        ttft_ms = request.slo_ttft_ms
        return inf if ttft_ms is None or ttft_ms < 0 else request.arrived_s + ttft_ms / _MS_PER_S
