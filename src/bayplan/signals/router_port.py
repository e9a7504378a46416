"""Who hears of the world: the router of a gateway, wherever it lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.endpoints.kv_event import KvEvent
    from bayplan.routing.requests.rewrite import Rewrite


class RouterPort(Protocol):
    """What signals tell. Calls come in the thread of the event loop, and must not block."""

    def endpoint_up(self, endpoint: Endpoint) -> None:
        """An endpoint that is new, or whose labels or readiness changed."""

    def endpoint_down(self, name: str) -> None:
        """An endpoint is gone."""

    def report(self, name: str, metrics: EngineMetrics, measured_s: float) -> None:
        """Metrics of an endpoint; `measured_s` is a moment that is no later than the engine's answer."""

    def kv_event(self, name: str, event: KvEvent) -> None:
        """An engine told of its KV cache."""

    def set_objectives(self, priorities: Mapping[str, int]) -> None:
        """The priorities of all objectives."""

    def set_rewrites(self, rewrites: Sequence[Rewrite]) -> None:
        """All rules that rename models."""
