"""The desk of the process that owns the router: every event of a request is told to it at once."""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

from bayplan.gateway.relay.desk import Ending
from bayplan.gateway.relay.endpoint_figures import EndpointFigures
from bayplan.routing.answer import Answer
from bayplan.routing.requests.routed_request import RoutedRequest

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, TimerHandle
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from bayplan.gateway.relay.decision_records import DecisionRecords
    from bayplan.gateway.relay.desk import Asking
    from bayplan.routing.config.routing_config import RoutingConfig
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.endpoints.kv_event import KvEvent
    from bayplan.routing.requests.rewrite import Rewrite
    from bayplan.routing.router import Router
    from bayplan.telemetry.request_metrics import EndedRequest
    from bayplan.telemetry.routing_metrics import RoutingMetrics

_log = logging.getLogger("bayplan.gateway")
_SHORTEST_WAIT_S: Final = 0.001
"""A router that wants to be called at once, again and again, still leaves the loop time for others."""
_FAILURE: Final = 500
"""Statuses from here on are failures of an engine."""
_ANSWERED: Final = (Ending.COMPLETED, Ending.BROKEN)
"""Endings of requests that an engine answered, at least in part."""


_COMPLETED: Final = Ending.COMPLETED  # looked up with every request


class HealthReports(Protocol):
    """Hears what becomes of requests at endpoints, so that one that is dead is left out."""

    def sent(self, name: str) -> None: ...

    def failed(self, name: str) -> None: ...

    def succeeded(self, name: str) -> None: ...


class LocalDesk:
    """Owns the router: what happens to requests and to endpoints goes through here, and nowhere else.

    It is a port for signals (`bayplan.signals.router_port.RouterPort`).
    """

    def __init__(
        self, router: Router, metrics: RoutingMetrics, records: DecisionRecords, loop: AbstractEventLoop
    ) -> None:
        self._router = router
        self._metrics = metrics
        self._records = records
        self._loop = loop
        self._live: dict[str, _Place] = {}
        self._endpoints: dict[str, Endpoint] = {}
        self._reports: dict[str, EngineMetrics] = {}
        self._heard_s: dict[str, float] = {}
        self._figures: dict[str, EndpointFigures] = {}
        self._timer: TimerHandle | None = None
        self._timer_at_s = 0.0
        self.health: HealthReports | None = None
        """Hears what becomes of requests at endpoints."""
        self.on_endpoints: Callable[[], object] = lambda: None
        """Called when an endpoint has come, gone or changed."""
        self.head_start_s = 0.0
        """What those who hear `on_endpoints` have to learn of the first endpoints before requests go there."""
        self._routed: set[str] = set()
        self.on_gone: Callable[[Endpoint], None] = lambda _: None
        metrics.ask_requests(self._running, self.waiting)
        metrics.ask_endpoints(self._endpoints.values, lambda: self._reports, router.inflight)

    # requests

    def ask(self, asking: Asking) -> None:
        now = monotonic()
        try:
            self._ask(asking, now)
        except Exception as problem:  # a broken plugin must not end other requests
            _complain(problem)
            place = self._live.setdefault(asking.id, _Place(asking, RoutedRequest(asking.id), now))
            if not place.is_told:
                place.is_told = True
                asking.answered(Answer(place.request, 500, message="the router failed; its log says more"))

    def _ask(self, asking: Asking, now: float) -> None:
        router, id_, texts = self._router, asking.id, asking.texts
        request = router.parse(id_, asking.path, texts, asking.body, now, subset=asking.subset)
        if isinstance(request, Answer):
            self._live[id_] = place = _Place(asking, request.request, now)
            self._tell(place, request)
            return
        request.explained = self._records.wants(texts)
        self._live[id_] = place = _Place(asking, request, now)
        answers = router.arrive(request, now)
        self._metrics.took(monotonic() - now)
        if len(answers) == 1 and answers[0].request is request:
            self._tell(place, answers[0])
        else:
            self._settle(answers)
            place.is_waiting = not place.is_told

    def first_token(self, asking: Asking) -> None:
        place = self._live.get(asking.id)
        if place is not None:
            self._judge(place)
            self._begun(asking.id, monotonic())

    def _begun(self, id_: str, now: float) -> None:
        try:
            answers = self._router.first_token(id_, now)
        except Exception as problem:
            _complain(problem)
        else:
            if answers or self._router.next_tick_at is not None:
                self._settle(answers)

    def answered_whole(self, asking: Asking) -> None:
        place = self._live.get(asking.id)
        if place is not None:
            self._judge(place)
            self._begun(asking.id, monotonic())
            self._over(place, Ending.COMPLETED)

    def served_by(self, asking: Asking, address: str) -> Endpoint | None:
        """A gateway used another endpoint than the one that was named first: that one has failed.

        The endpoint of this address; None where there is none.
        """
        used = next((each for each in self._endpoints.values() if each.address == address), None)
        if used is not None and asking.endpoint is not None and used.name != asking.endpoint.name:
            self._metrics.failed(asking.endpoint.name, "gateway")
            if self.health is not None:
                self.health.failed(asking.endpoint.name)
            self._router.served_by(asking.id, used.name, monotonic())
        return used

    def failed(self, asking: Asking, fault: str, then: Callable[[Answer | None], None]) -> None:
        if asking.endpoint is not None:
            self._metrics.failed(asking.endpoint.name, fault)
            if self.health is not None:
                self.health.failed(asking.endpoint.name)
        place = self._live.get(asking.id)
        answer = self._router.failed(asking.id, monotonic())
        if answer is not None and answer.ok:
            self._sent(answer)
            then(answer)
        else:
            if place is not None:
                place.is_judged = True
            then(None)
        self._schedule()

    def ended(self, asking: Asking, ending: Ending) -> None:
        place = self._live.get(asking.id)
        if place is None:
            return
        if ending is _COMPLETED:
            self._judge(place)
        elif ending is Ending.BROKEN and self.health is not None and asking.endpoint is not None:
            self.health.failed(asking.endpoint.name)
        self._over(place, ending)

    def _over(self, place: _Place, ending: Ending) -> None:
        asking = place.asking
        facts = asking.facts(ending)
        self._metrics.ended(place.request, facts)
        id_, now = asking.id, monotonic()
        del self._live[id_]
        self._count(asking, ending, facts, now)
        try:
            if ending is _COMPLETED:
                answers = self._router.complete(
                    id_, now, prompt_tokens=facts.prompt_tokens, completion_tokens=facts.completion_tokens
                )
            else:
                answers = self._router.abort(id_, now)
        except Exception as problem:
            _complain(problem)
        else:
            if answers or self._router.next_tick_at is not None:
                self._settle(answers)

    def _count(self, asking: Asking, ending: Ending, facts: EndedRequest, now: float) -> None:
        endpoint = asking.endpoint
        figures = None if endpoint is None else self._figures.get(endpoint.name)
        if figures is not None and ending in _ANSWERED:
            figures.ended(facts, now, is_whole=ending is _COMPLETED)

    def _judge(self, place: _Place) -> None:
        """Say once of each answer whether the engine that gave it is well."""
        asking = place.asking
        if place.is_judged or self.health is None or asking.endpoint is None:
            return
        place.is_judged = True
        if asking.status is not None and asking.status >= _FAILURE:
            self.health.failed(asking.endpoint.name)
        else:
            self.health.succeeded(asking.endpoint.name)

    # the world: signals tell it

    def endpoint_up(self, endpoint: Endpoint) -> None:
        former = self._endpoints.get(endpoint.name)
        self._endpoints[endpoint.name] = endpoint
        if endpoint.name not in self._figures:
            self._figures[endpoint.name] = EndpointFigures()
        if former is not None and former.address != endpoint.address:
            self.on_gone(former)
        self.on_endpoints()
        if self.head_start_s and not self._routed:
            self._loop.call_later(self.head_start_s, self._route_to, endpoint)
        else:
            self._route_to(endpoint)

    def _route_to(self, endpoint: Endpoint) -> None:
        """Unless it has gone or changed since."""
        if self._endpoints.get(endpoint.name) is endpoint:
            self._routed.add(endpoint.name)
            self._settle(self._router.endpoint_up(endpoint, monotonic()))

    def endpoint_down(self, name: str) -> None:
        former = self._endpoints.pop(name, None)
        self._reports.pop(name, None)
        self._heard_s.pop(name, None)
        self._figures.pop(name, None)
        self._routed.discard(name)
        self._settle(self._router.endpoint_down(name, monotonic()))
        if former is not None:
            self.on_gone(former)
            self.on_endpoints()

    def report(self, name: str, metrics: EngineMetrics, measured_s: float) -> None:
        if name in self._endpoints:
            self._reports[name] = metrics
            self._heard_s[name] = monotonic()
        self._settle(self._router.report(name, metrics, measured_s))

    def kv_event(self, name: str, event: KvEvent) -> None:
        self._router.kv_event(name, event, monotonic())

    def set_objectives(self, priorities: Mapping[str, int]) -> None:
        self._router.set_objectives(priorities)

    def set_rewrites(self, rewrites: Sequence[Rewrite]) -> None:
        self._router.set_rewrites(rewrites)

    def reconfigure(self, config: RoutingConfig) -> None:
        """Decide by another configuration from now on; requests that wait or are in flight stay."""
        self._settle(self._router.reconfigure(config, monotonic()))

    def shutdown(self) -> None:
        """Refuse every request that waits."""
        self._settle(self._router.shutdown(monotonic()))
        self.close()

    def close(self) -> None:
        """Set no timer any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # what is asked for

    def endpoints(self) -> Iterable[Endpoint]:
        return [each for each in self._endpoints.values() if each.ready]

    def silent(self, longest_s: float) -> Iterable[str]:
        since_s = monotonic() - longest_s
        return [self._endpoints[name].address for name, heard_s in self._heard_s.items() if heard_s < since_s]

    def all_endpoints(self) -> Iterable[Endpoint]:
        """Those that are not ready too."""
        return self._endpoints.values()

    def inflight(self) -> dict[str, tuple[int, float]]:
        """Requests and tokens by endpoint, as the router counts them."""
        return self._router.inflight()

    def reports(self) -> Mapping[str, EngineMetrics]:
        """What each endpoint said last."""
        return self._reports

    def figures(self) -> Mapping[str, EndpointFigures]:
        """What each endpoint did lately."""
        return self._figures

    def waiting(self) -> int:
        """Requests that the router holds."""
        return sum(each.is_waiting for each in self._live.values())

    def live(self) -> int:
        """Requests that have not ended."""
        return len(self._live)

    def _running(self) -> Iterator[RoutedRequest]:
        return (each.request for each in self._live.values() if not each.is_waiting)

    # answers

    def _settle(self, answers: Sequence[Answer]) -> None:
        for answer in answers:
            place = self._live.get(answer.request.id)
            if place is not None:
                self._tell(place, answer)
        self._schedule()

    def _tell(self, place: _Place, answer: Answer) -> None:
        asking = place.asking
        if place.request.explained and not place.is_told:
            self._records.keep(self._router, answer, asking.request_id)
        was_waiting, place.is_waiting, place.is_told = place.is_waiting, False, True
        if answer.status == 200:
            self._sent(answer)
        asking.answered(answer)  # before anything that can be counted later: the request is on its way
        self._metrics.decided(answer)
        if was_waiting:
            self._metrics.held(answer, monotonic() - place.asked_s)

    def _sent(self, answer: Answer) -> None:
        if self.health is not None:
            self.health.sent(answer.picked[0].name)

    def _schedule(self) -> None:
        """Call the router when it wants to be called."""
        at_s = self._router.next_tick_at
        if at_s is None or (self._timer is not None and self._timer_at_s <= at_s):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at_s = at_s
        self._timer = self._loop.call_later(max(_SHORTEST_WAIT_S, at_s - monotonic()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._settle(self._router.tick(monotonic()))


class _Place:
    """A request that has not ended."""

    __slots__ = ("asked_s", "asking", "is_judged", "is_told", "is_waiting", "request")

    def __init__(self, asking: Asking, request: RoutedRequest, asked_s: float) -> None:
        self.asking = asking
        self.request = request
        self.asked_s = asked_s
        self.is_waiting = False
        self.is_told = False
        self.is_judged = False  # the health of its endpoint was told


def _complain(problem: Exception) -> None:
    _log.error("routing failed: %s", type(problem).__name__, exc_info=problem)
