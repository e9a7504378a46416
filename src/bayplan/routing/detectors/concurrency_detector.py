"""How full the pool is by what this router has in flight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bayplan.framework.reasons import Reasons
from bayplan.routing.factors.parameter_checks import above, at_least, refuse
from bayplan.routing.factors.pool_saturation import fullest_stage
from bayplan.routing.plugin_kinds import DETECTOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.list_table import ListTable
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class ConcurrencyDetector:
    """Says how full the pool is: what is in flight on ready endpoints, against what they may have.

    Requests are counted, or tokens; or of each endpoint the larger share of both, and their mean. Stages are counted
    apart, and the fullest counts. As a filter it keeps endpoints that are not full, be it none.

    Parameters:
        max_concurrency: the requests of a full endpoint.
        max_token_concurrency: the tokens of a full endpoint.
        concurrency_mode: what is counted: `requests`, `tokens` or `hybrid`.
        headroom: by which part the filter's limits are higher.
    """

    max_concurrency: int = 100
    max_token_concurrency: int = 1_000_000
    concurrency_mode: Literal["requests", "tokens", "hybrid"] = "requests"
    headroom: float = 0.0

    name = "concurrency-detector"
    kinds = (DETECTOR,)
    reads = ("inflight_requests", "inflight_tokens")
    storages = ("lists",)
    needs = ("inflight-load-producer",)

    def __post_init__(self) -> None:
        refuse(
            above("max_concurrency", self.max_concurrency, 0),
            above("max_token_concurrency", self.max_token_concurrency, 0),
            at_least("headroom", self.headroom, 0),
        )

    def saturation(self, table: ListTable, now: float) -> float:
        """How full the fullest stage is."""
        requests, tokens = table.columns["inflight_requests"], table.columns["inflight_tokens"]
        return fullest_stage(table, lambda rows: self._of_rows(rows, requests, tokens))

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        most, most_tokens = self.max_concurrency * (1 + self.headroom), self.max_token_concurrency * (1 + self.headroom)
        if self.concurrency_mode == "requests":
            return [requests < most for requests in rows.inflight_requests]
        if self.concurrency_mode == "tokens":
            return [tokens < most_tokens for tokens in rows.inflight_tokens]
        return [
            requests < most and tokens < most_tokens
            for requests, tokens in zip(rows.inflight_requests, rows.inflight_tokens, strict=True)
        ]

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons(
            "concurrency",
            requests=refused.inflight_requests,
            tokens=refused.inflight_tokens,
            text="{requests} requests and {tokens} tokens are in flight, which is full",
        )

    def _of_rows(self, rows: Sequence[int], requests: Sequence[int], tokens: Sequence[int]) -> float:
        if self.concurrency_mode == "requests":
            return sum(requests[row] for row in rows) / (len(rows) * self.max_concurrency)
        if self.concurrency_mode == "tokens":
            return sum(tokens[row] for row in rows) / (len(rows) * self.max_token_concurrency)
        shares = (max(requests[row] / self.max_concurrency, tokens[row] / self.max_token_concurrency) for row in rows)
        return sum(shares) / len(rows)
