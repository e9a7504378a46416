"""The router: parses requests, holds them where it must, picks an endpoint and reserves it in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.routing.answer import Answer
    from bayplan.routing.config.routing_config import RoutingConfig
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.endpoints.kv_event import KvEvent
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
        raise InputError("is not here yet", place="router")

    # the world

    def endpoint_up(self, endpoint: Endpoint, now: float) -> list[Answer]:
        """An endpoint that is new, or whose labels or readiness changed."""
        ...

    def endpoint_down(self, name: str, now: float) -> list[Answer]:
        """An endpoint is gone: its index and counters are forgotten."""
        ...

    def report(self, name: str, metrics: EngineMetrics, now: float) -> list[Answer]:
        """Metrics of an endpoint, measured at `now`."""
        ...

    def kv_event(self, name: str, event: KvEvent, now: float) -> None:
        """An engine told of its KV cache."""

    def set_objectives(self, priorities: Mapping[str, int]) -> None:
        """The priorities of objectives by name; all others are forgotten."""

    def set_rewrites(self, rewrites: Sequence[Rewrite]) -> None:
        """The rules that rename models; all others are forgotten."""

    def reconfigure(self, config: RoutingConfig, now: float) -> list[Answer]:
        """Another configuration; endpoints, accounts of requests in flight and waiting requests are kept."""
        ...

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
        """A request as it came; an answer is a 400."""
        ...

    def arrive(self, request: RoutedRequest, now: float) -> list[Answer]:
        """The request's own answer, if there is one already, and those of others that it set free."""
        ...

    def first_token(self, id: str, now: float) -> list[Answer]:  # noqa: A002
        """The first bytes of the response's body came."""
        ...

    def complete(
        self,
        id: str,  # noqa: A002
        now: float,
        *,
        prompt_tokens: int | None = None,
        completion_tokens: int | None = None,
    ) -> list[Answer]:
        """The response has ended; tokens where the engine said so."""
        ...

    def abort(self, id: str, now: float) -> list[Answer]:  # noqa: A002
        """The client is gone, whether the request waits or is in flight."""
        ...

    def failed(self, id: str, now: float) -> Answer | None:  # noqa: A002
        """The upstream failed before its first byte: the reservation moves to the next of `picked`.

        Where none is left it is decided again without those that failed; None: there is no other.
        """
        ...

    def served_by(self, id: str, endpoint: str, now: float) -> None:  # noqa: A002
        """A gateway used this endpoint (a name or an address): the reservation moves there."""

    def tick(self, now: float) -> list[Answer]:
        """Time has passed: what expires, and what may be dispatched."""
        ...

    def shutdown(self, now: float) -> list[Answer]:
        """Every request that waits is refused."""
        ...

    @property
    def next_tick_at(self) -> float | None:
        """When `tick` is worth calling; None: nothing waits."""
        ...

    def explain(self, answer: Answer) -> dict[str, Any]:
        """The Route document. Its tables are complete where the request was marked `explained` before it arrived."""
        ...

    def inflight(self) -> dict[str, tuple[int, int]]:
        """Requests and tokens in flight by endpoint: what leak checks look at."""
        ...
