"""Who hears of the world: the router of a gateway, wherever it lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bayplan.routing.answer import Answer
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.endpoints.kv_event import KvEvent
    from bayplan.routing.requests.rewrite import Rewrite
    from bayplan.routing.router import Router


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


class RouterFeed:
    """A router in this process: gives it the time, and hands on the answers that its methods set free."""

    def __init__(self, router: Router, clock: Callable[[], float], deliver: Callable[[Sequence[Answer]], None]) -> None:
        self._router, self._clock, self._deliver = router, clock, deliver

    def endpoint_up(self, endpoint: Endpoint) -> None:
        self._pass_on(self._router.endpoint_up(endpoint, self._clock()))

    def endpoint_down(self, name: str) -> None:
        self._pass_on(self._router.endpoint_down(name, self._clock()))

    def report(self, name: str, metrics: EngineMetrics, measured_s: float) -> None:
        self._pass_on(self._router.report(name, metrics, measured_s))

    def kv_event(self, name: str, event: KvEvent) -> None:
        self._router.kv_event(name, event, self._clock())

    def set_objectives(self, priorities: Mapping[str, int]) -> None:
        self._router.set_objectives(priorities)

    def set_rewrites(self, rewrites: Sequence[Rewrite]) -> None:
        self._router.set_rewrites(rewrites)

    def _pass_on(self, answers: Sequence[Answer]) -> None:
        if answers:
            self._deliver(answers)
