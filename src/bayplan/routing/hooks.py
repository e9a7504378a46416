"""What plugins may do around a request, beside filtering, scoring and picking.

Every method is optional: the router looks for it by name on each plugin of the configuration, once. Plugins are asked
in the order of the configuration. None of them is called for a request that is refused, which changes no state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.list_table import ListTable
    from bayplan.routing.endpoints.endpoint import Endpoint
    from bayplan.routing.endpoints.engine_metrics import EngineMetrics
    from bayplan.routing.endpoints.kv_event import KvEvent
    from bayplan.routing.endpoints.prefix_match import PrefixMatch
    from bayplan.routing.requests.routed_request import RoutedRequest


class Sent(NamedTuple):
    """Where a request went: rows of the table, by profile that picked, and which profile is the primary one.

    `prefill` names the profile of the prefill stage where one ran and picked.
    """

    rows: Mapping[str, Sequence[int]]
    primary: str
    prefill: str | None
    table: ListTable

    @property
    def first(self) -> int:
        """The row that the request went to."""
        return self.rows[self.primary][0]

    @property
    def prefilled_by(self) -> int | None:
        """The row of the prefill stage."""
        return None if self.prefill is None else self.rows[self.prefill][0]


class RequestHooks(Protocol):
    """The methods that a plugin may have."""

    def sent(self, request: RoutedRequest, sent: Sent, now: float) -> None:
        """The request was picked for and is on its way: indexes and bindings are written here."""

    def response_headers(self, request: RoutedRequest, sent: Sent) -> Mapping[str, str]:
        """Headers to add to the response (a session's token, say)."""
        ...

    def request_headers(self, request: RoutedRequest, sent: Sent) -> Mapping[str, str]:
        """Headers to add to the request (the prefiller's address, say)."""
        ...

    def first_token(self, request: RoutedRequest, now: float) -> None:
        """The first bytes of the response's body came."""

    def completed(self, request: RoutedRequest, usage: tuple[int, int] | None, now: float) -> None:
        """The request has ended in whatever way; `usage` is prompt tokens and completion tokens where they are known.

        It follows every `sent` exactly once; a request that failed on one endpoint and goes to another is `sent` again.
        """

    def endpoint_up(self, endpoint: Endpoint, now: float) -> None:
        """An endpoint is new: `endpoint.known.cached` says which prompts it holds, where a document told that."""

    def reported(self, name: str, metrics: EngineMetrics, now: float) -> None:
        """The endpoint has new metrics."""

    def kv_event(self, name: str, event: KvEvent, now: float) -> None:
        """The endpoint told of its KV cache."""

    def endpoint_down(self, name: str) -> None:
        """The endpoint is gone: whatever is kept of it is forgotten."""

    def warnings(self, table: ListTable) -> Sequence[str]:
        """What does not fit together in this pool, a sentence each; asked for where a decision is explained."""
        ...

    def take_over(self, former: Any) -> None:
        """Another configuration holds now: `former` had this plugin's name and type, and what it learnt stays."""


class SaturationDetector(Protocol):
    """Says how full the pool is; 1 and more is saturated. Rows of `table` that are not ready do not count."""

    def saturation(self, table: ListTable, now: float) -> float:
        """How full the ready endpoints are, from 0 on."""
        ...


class Admitter(Protocol):
    """May deny a request once its candidates are known."""

    def denies(self, request: RoutedRequest, table: ListTable, rows: Sequence[int], cycle: Cycle) -> str | None:
        """Why the request is refused, as a sentence; None: it is admitted. `rows` are its candidates."""
        ...


class Decider(Protocol):
    """Says whether a further stage is worth its while, once the decode stage has picked."""

    def splits(self, request: RoutedRequest, table: ListTable, row: int, now: float) -> bool:
        """Whether the stage runs; `row` is the decode stage's pick."""
        ...


class PrefixProducer(Protocol):
    """A producer of the column `prefix_column(its name)`, of the kind `PREFIX_PRODUCER`."""

    def matches(
        self, request: RoutedRequest, names: Sequence[str], block_sizes: Sequence[int | None], now: float
    ) -> list[PrefixMatch]:
        """How much of the request's prompts each of these endpoints holds."""
        ...


class LoadEstimator(Protocol):
    """What `inflight-load-producer` says besides its column."""

    def output_tokens(self, request: RoutedRequest) -> int:
        """Tokens to count on the primary pick from dispatch to the end, beside the uncached prompt tokens."""
        ...


class StagedHandler(Protocol):
    """What a profile handler of routing may say besides choosing profiles.

    The `value` of its Decision is a `Stages` (`routing/stages.py`); None is as `Stages()`.
    """

    def problem(self, request: RoutedRequest, profiles: Sequence[str]) -> str | None:
        """Why the request cannot be served as it is (400), as a sentence; None: it can."""
        ...
