"""The router: parses requests, holds them where it must, picks an endpoint and reserves it in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.routing.accounts.pool import Pool
from bayplan.routing.answer import CANCELLED, SHUTTING_DOWN, Answer
from bayplan.routing.dispatcher import Dispatcher
from bayplan.routing.documents.route import route_document
from bayplan.routing.gates.gates import gate_of
from bayplan.routing.hook_table import tell
from bayplan.routing.own_policy import own_config
from bayplan.routing.requests.request_reader import RequestReader
from bayplan.routing.requests.rewrite import RewriteTable
from bayplan.routing.routing_plan import RoutingPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.routing.config.routing_config import RoutingConfig
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.endpoints.kv_event import KvEvent
    from bayplan.routing.gates.gate import BandState
    from bayplan.routing.requests.rewrite import Rewrite
    from bayplan.routing.requests.routed_request import RoutedRequest


class Router:
    """Pick and reserve in one step. Pure: time is an argument, nothing blocks. One thread owns it.

    Every request that arrives gets exactly one final answer by `shutdown` at the latest; a request that was answered
    with 200 may get a second one when it is evicted. Methods that may set waiting requests free return all answers that
    came about. The end of a request that is unknown or has ended changes nothing.
    """

    def __init__(self, config: RoutingConfig | None = None, *, seed: int = 0) -> None:
        """`config` None: our own policy, early."""
        plan = RoutingPlan(config or own_config())
        self._pool = Pool()
        self._dispatcher = Dispatcher(plan, self._pool, seed=seed)
        self._reader = RequestReader(plan.parsers, plan.agent_identity)
        self._gate = gate_of(plan, self._dispatcher)
        self._waiting: dict[str, RoutedRequest] = {}
        self._is_closed = False

    # the world

    def endpoint_up(self, endpoint: Endpoint, now: float) -> list[Answer]:
        """An endpoint that is new, or whose labels or readiness changed."""
        hooks, name = self._dispatcher.plan.hooks, endpoint.name
        if name in self._pool and self._pool[name].endpoint.address != endpoint.address:
            tell(hooks.endpoint_down, name)
        if self._pool.up(endpoint, now):
            tell(hooks.endpoint_up, endpoint, now)
        return self._cycle(now)

    def endpoint_down(self, name: str, now: float) -> list[Answer]:
        """An endpoint is gone: its index and counters are forgotten."""
        if self._pool.down(name):
            tell(self._dispatcher.plan.hooks.endpoint_down, name)
        return self._cycle(now)

    def report(self, name: str, metrics: EngineMetrics, now: float) -> list[Answer]:
        """Metrics of an endpoint, measured at `now`; requests that were sent later are not in them."""
        if name in self._pool:
            self._pool.report(name, metrics, now)
            tell(self._dispatcher.plan.hooks.reported, name, metrics, now)
        return self._cycle(now)

    def metrics_of(self, name: str) -> EngineMetrics | None:
        """The newest metrics of an endpoint, without the load that was sent since; None for an unknown endpoint."""
        return self._pool[name].metrics if name in self._pool else None

    def kv_event(self, name: str, event: KvEvent, now: float) -> None:
        """An engine told of its KV cache."""
        if name in self._pool:
            tell(self._dispatcher.plan.hooks.kv_event, name, event, now)

    def set_objectives(self, priorities: Mapping[str, int]) -> None:
        """The priorities of objectives by name; all others are forgotten."""
        self._reader.objectives = dict(priorities)

    def set_rewrites(self, rewrites: Sequence[Rewrite]) -> None:
        """The rules that rename models; all others are forgotten."""
        self._reader.rewrites = RewriteTable(rewrites)

    def reconfigure(self, config: RoutingConfig, now: float) -> list[Answer]:
        """Another configuration; endpoints, accounts of requests in flight and waiting requests are kept.

        What a plugin has learnt stays where the new configuration has one of its name and type that can take it over.
        """
        plan, former = RoutingPlan(config), self._dispatcher.plan
        taken = plan.hooks.take_over(former.hooks)
        for account in self._pool.rows:
            tell((each for each in plan.hooks.endpoint_up if each[0] not in taken), account.endpoint, now)
        self._dispatcher.plan = plan
        self._reader.parsers, self._reader.agent_identity = plan.parsers, plan.agent_identity
        self._gate = gate_of(plan, self._dispatcher)
        answers = []
        for request in tuple(self._waiting.values()):
            answers += self._settled(self._gate.readmit(request, now))
        return answers + self._cycle(now)

    # requests

    def parse(
        self,
        id: str,  # noqa: A002 (it is the word for it)
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        now: float,
        *,
        subset: Iterable[str] | None = None,
    ) -> RoutedRequest | Answer:
        """A request as it came; an answer is a 400. `id` is unique among the requests that wait or are in flight."""
        request, problem = self._reader.read(id, path, headers, body, now, self._dispatcher.chance, subset)
        return request if problem is None else Answer(request, 400, message=str(problem))

    def arrive(self, request: RoutedRequest, now: float) -> list[Answer]:
        """The request's own answer, if there is one already, and those of others that it set free."""
        if request.id in self._waiting or request.id in self._dispatcher.flights:
            step = "give each request an id of its own"
            raise InputError(f"{request.id!r} waits or is in flight already", place="request.id", next=step)
        if self._is_closed:
            return [_shut_down(request)]
        answer = self._gate.arrive(request, now)
        if answer is None:
            self._waiting[request.id] = request
            return self._cycle(now)
        return [answer, *self._cycle(now)] if self._waiting else [answer]

    def first_token(self, id: str, now: float) -> list[Answer]:  # noqa: A002
        """The first bytes of the response's body came."""
        flight = self._dispatcher.flights.get(id)
        if flight is not None and not flight.has_first_token:
            flight.first_token()
            if not flight.request.headers_only:
                tell(self._dispatcher.plan.hooks.first_token, flight.request, now)
        return self._cycle(now) if self._waiting else []

    def complete(
        self,
        id: str,  # noqa: A002
        now: float,
        *,
        prompt_tokens: int | None = None,
        completion_tokens: int | None = None,
    ) -> list[Answer]:
        """The response has ended; tokens where the engine said so."""
        flight = self._dispatcher.flights.get(id)
        if flight is not None:
            known = prompt_tokens is not None or completion_tokens is not None
            self._dispatcher.land(flight, (prompt_tokens or 0, completion_tokens or 0) if known else None, now)
        return self._cycle(now) if self._waiting else []

    def abort(self, id: str, now: float) -> list[Answer]:  # noqa: A002
        """The client is gone, whether the request waits or is in flight."""
        request = self._waiting.pop(id, None)
        if request is not None:
            self._gate.withdraw(id)
            return [Answer(request, 503, CANCELLED, "the client left while the request waited"), *self._cycle(now)]
        return self.complete(id, now)

    def failed(self, id: str, now: float) -> Answer | None:  # noqa: A002
        """The upstream failed before its first byte: the reservation moves to the next of `picked`.

        Where none is left it is decided again without those that failed; None: there is no other, and the request has
        ended.
        """
        flight = self._dispatcher.flights.get(id)
        return None if flight is None or flight.has_first_token else self._dispatcher.retry(flight, now)

    def served_by(self, id: str, endpoint: str, now: float) -> None:  # noqa: A002
        """A gateway used this endpoint (a name or an address): the reservation moves there."""
        flight = self._dispatcher.flights.get(id)
        if flight is None:
            return
        served = flight.primary.endpoint
        name = self._pool.named(endpoint)
        if endpoint not in (served.name, flight.answer.picked[0].address) and name is not None:
            self._dispatcher.move(flight, (name,), now)

    def tick(self, now: float) -> list[Answer]:
        """Time has passed: what expires, and what may be dispatched."""
        return self._cycle(now)

    def shutdown(self, now: float) -> list[Answer]:
        """Every request that waits is refused, and every one that arrives from now on."""
        self._is_closed = True
        waiting, self._waiting = self._waiting, {}
        for id_ in waiting:
            self._gate.withdraw(id_)
        return [_shut_down(request) for request in waiting.values()]

    @property
    def next_tick_at(self) -> float | None:
        """When `tick` is worth calling; None: nothing waits."""
        return self._gate.next_tick_s() if self._waiting else None

    def explain(self, answer: Answer) -> dict[str, Any]:
        """The Route document. Its tables are complete where the request was marked `explained` before it arrived."""
        return route_document(answer, self._dispatcher.plan.warnings)

    # what documents and leak checks look at

    def inflight(self) -> dict[str, tuple[int, float]]:
        """Requests and tokens in flight by endpoint."""
        return self._pool.inflight()

    def waiting(self) -> list[RoutedRequest]:
        """The requests that wait, in the order of their arrival."""
        return list(self._waiting.values())

    def bands(self, now: float) -> Sequence[BandState]:
        """Priority bands, highest first; none without flow control."""
        return self._gate.bands(now)

    def saturation(self, now: float) -> float:
        """How full the pool is."""
        return self._dispatcher.saturation(now)

    def _cycle(self, now: float) -> list[Answer]:
        return self._settled(self._gate.cycle(now)) if self._waiting else []

    def _settled(self, answers: list[Answer]) -> list[Answer]:
        for answer in answers:
            self._waiting.pop(answer.request.id, None)
        return answers


def _shut_down(request: RoutedRequest) -> Answer:
    return Answer(request, 503, SHUTTING_DOWN, "the router is shutting down")
