"""A request that waits, and until when."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.routing.requests.routed_request import RoutedRequest


class WaitingRequest:
    """One place in the queue. `number` counts arrivals; `key` is its place in the order of its flow."""

    __slots__ = ("expires_s", "gives_up_s", "has_evicted", "is_gone", "key", "number", "request")

    def __init__(
        self, request: RoutedRequest, number: int, ttl_s: float | None, no_endpoint_ttl_s: float | None
    ) -> None:
        """How long it may wait, and how long while no endpoint is ready; None: for ever."""
        self.request = request
        self.number = number
        self.expires_s = inf if ttl_s is None else request.arrived_s + ttl_s
        self.gives_up_s = inf if no_endpoint_ttl_s is None else request.arrived_s + no_endpoint_ttl_s
        self.key: tuple[float, int] = (0.0, number)
        self.has_evicted = False
        self.is_gone = False

    def __lt__(self, other: WaitingRequest) -> bool:
        return self.key < other.key
