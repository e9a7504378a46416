"""First come, first served."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.routing.plugin_kinds import ORDERING

if TYPE_CHECKING:
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class FcfsOrderingPolicy:
    """Serves requests in the order of their arrival."""

    name = "fcfs-ordering-policy"
    kinds = (ORDERING,)

    def key(self, request: RoutedRequest, ttl_s: float | None) -> float:
        return 0.0
