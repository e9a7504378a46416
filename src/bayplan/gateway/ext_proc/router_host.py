"""The owner of the router: streams ask it, and the router's answers come back through it."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from bayplan.routing.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.endpoints.kv_event import KvEvent
    from bayplan.routing.requests.rewrite import Rewrite
    from bayplan.routing.router import Router

_SHORTEST_WAIT_S: Final = 0.001
"""A router that wants to be called at once, again and again, still leaves the loop time for others."""
_FAILURE: Final = 500  # statuses from here on are failures of an endpoint


class Asker(Protocol):
    """A stream that asked for an endpoint."""

    def answered(self, answer: Answer) -> None:
        """The answer; a request that was sent may be told a second one, when it is evicted."""


class HealthReports(Protocol):
    """Hears what becomes of requests at endpoints, so that one that is dead is left out."""

    def sent(self, name: str) -> None: ...

    def failed(self, name: str) -> None: ...

    def succeeded(self, name: str) -> None: ...


class RouterHost:
    """Calls the router with the time, hands out the answers that each call sets free, and wakes it when it wants to be.

    Requests have names of their own here: two clients may send the same `x-request-id`. Everything happens in the
    thread of the event loop.
    """

    def __init__(self, router: Router, *, body_bytes: int, bodies_bytes: int, tells_scores: bool = False) -> None:
        self.router = router
        self.body_bytes = body_bytes  # of one request
        self.tells_scores = tells_scores
        self.endpoints: dict[str, Endpoint] = {}
        self.on_endpoints: Callable[[], None] = _nobody
        self.health: HealthReports | None = None
        self._names: dict[str, str] = {}  # of endpoints by their addresses
        self._bodies_bytes = bodies_bytes  # that may be held for all requests together
        self._held_bytes = 0
        self._asked: dict[str, Asker] = {}
        self._count = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._tick_at: float | None = None

    @property
    def open_requests(self) -> int:
        """Requests that wait or are in flight."""
        return len(self._asked)

    # a request

    def new_name(self) -> str:
        """A name that no other request has."""
        self._count += 1
        return str(self._count)

    def ask(
        self, asker: Asker, name: str, path: str, headers: Mapping[str, str], body: bytes, subset: Iterable[str] | None
    ) -> None:
        """Ask for an endpoint. `answered` may be called before this returns."""
        now = monotonic()
        self._asked[name] = asker
        request = self.router.parse(name, path, headers, body, now, subset=subset)
        if isinstance(request, Answer):
            self.deliver((request,))
            return
        request.explained = self.tells_scores
        self.deliver(self.router.arrive(request, now))

    def first_token(self, name: str) -> None:
        """The first bytes of the answer's body have come."""
        self.deliver(self.router.first_token(name, monotonic()))

    def begun(self, name: str, answer: Answer, status: int | None, served: str | None) -> None:
        """An answer begins: its status, and the address of the endpoint that gave it, where the gateway says so.

        A gateway that had to use another endpoint than the first one has found that one dead.
        """
        first = answer.picked[0]
        used = first.name
        if served is not None and served != first.address and served in self._names:
            used = self._names[served]
            self.router.served_by(name, used, monotonic())
            if self.health is not None:
                self.health.failed(first.name)
        if self.health is None or status is None:
            return
        if status >= _FAILURE:
            self.health.failed(used)
        else:
            self.health.succeeded(used)

    def complete(self, name: str, prompt_tokens: int | None = None, completion_tokens: int | None = None) -> None:
        """The answer has ended."""
        if self._asked.pop(name, None) is not None:
            now = monotonic()
            self.deliver(
                self.router.complete(name, now, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
            )

    def abort(self, name: str) -> None:
        """The request is over without an answer."""
        if self._asked.pop(name, None) is not None:
            self.deliver(self.router.abort(name, monotonic()))

    def scores(self, answer: Answer) -> dict[str, float]:
        """What each candidate was worth, by address; empty where scores are not told."""
        if not self.tells_scores:
            return {}
        table: Sequence[Mapping[str, Any]] = self.router.explain(answer).get("endpoints", ())
        return {
            self.endpoints[each["endpoint"]].address: float(each["total"])
            for each in table
            if each["total"] is not None and each["endpoint"] in self.endpoints
        }

    # bodies

    def hold(self, more_bytes: int) -> bool:
        """Whether so much more may be kept in memory; then it counts until `release`."""
        if self._held_bytes + more_bytes > self._bodies_bytes:
            return False
        self._held_bytes += more_bytes
        return True

    def release(self, fewer_bytes: int) -> None:
        """So much is no longer kept."""
        self._held_bytes -= fewer_bytes

    # the world: signals tell it

    def endpoint_up(self, endpoint: Endpoint) -> None:
        """An endpoint that is new, or whose labels or readiness changed."""
        self._forget_address(endpoint.name)
        self.endpoints[endpoint.name] = endpoint
        self._names[endpoint.address] = endpoint.name
        self.deliver(self.router.endpoint_up(endpoint, monotonic()))
        self.on_endpoints()

    def endpoint_down(self, name: str) -> None:
        """An endpoint is gone."""
        self._forget_address(name)
        self.endpoints.pop(name, None)
        self.deliver(self.router.endpoint_down(name, monotonic()))
        self.on_endpoints()

    def report(self, name: str, metrics: EngineMetrics, measured_s: float) -> None:
        """Metrics of an endpoint; `measured_s` is a moment that is no later than the engine's answer."""
        self.deliver(self.router.report(name, metrics, measured_s))

    def kv_event(self, name: str, event: KvEvent) -> None:
        """An engine told of its KV cache."""
        self.router.kv_event(name, event, monotonic())

    def set_objectives(self, priorities: Mapping[str, int]) -> None:
        """The priorities of all objectives."""
        self.router.set_objectives(priorities)

    def set_rewrites(self, rewrites: Sequence[Rewrite]) -> None:
        """All rules that rename models."""
        self.router.set_rewrites(rewrites)

    def _forget_address(self, name: str) -> None:
        known = self.endpoints.get(name)
        if known is not None and self._names.get(known.address) == name:
            del self._names[known.address]

    # answers and time

    def deliver(self, answers: Iterable[Answer]) -> None:
        """Hand out what a call of the router came to. Whoever tells the router of endpoints calls this, too."""
        for answer in answers:
            name = answer.request.id
            asker = self._asked.get(name) if answer.ok else self._asked.pop(name, None)
            if asker is not None:
                asker.answered(answer)
                if self.health is not None and answer.ok:
                    self.health.sent(answer.picked[0].name)
        self._wake_in_time()

    def stop(self) -> None:
        """Refuse everything that waits."""
        self.deliver(self.router.shutdown(monotonic()))
        if self._timer is not None:
            self._timer.cancel()

    def _wake_in_time(self) -> None:
        at = self.router.next_tick_at
        if at is None or (self._tick_at is not None and self._tick_at <= at):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._loop = self._loop or asyncio.get_running_loop()
        self._tick_at = at
        self._timer = self._loop.call_later(max(_SHORTEST_WAIT_S, at - monotonic()), self._tick)

    def _tick(self) -> None:
        self._timer = self._tick_at = None
        self.deliver(self.router.tick(monotonic()))


def _nobody() -> None:
    """Nobody wants to hear of endpoints."""
