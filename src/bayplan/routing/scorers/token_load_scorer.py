"""Prefer the endpoint with fewer prompt tokens ahead of this request's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.routing.factors.parameter_checks import above, refuse

if TYPE_CHECKING:
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class TokenLoadScorer:
    """Scores 1 − load / threshold, not below 0. The load is in tokens: those in flight there, and this request's own.

    Of this request only the tokens count that the endpoint does not have in its prefix cache.

    Parameters:
        queue_threshold_tokens: the load from which on the score is 0.
    """

    queue_threshold_tokens: int = 4_194_304

    name = "token-load-scorer"
    reads = ("inflight_tokens", "uncached_tokens")
    storages = ("lists",)
    needs = ("inflight-load-producer",)

    def __post_init__(self) -> None:
        refuse(above("queue_threshold_tokens", self.queue_threshold_tokens, 0))

    def score(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> list[float]:
        most = self.queue_threshold_tokens
        return [
            1.0 - min(inflight + own, most) / most
            for inflight, own in zip(rows.inflight_tokens, rows.uncached_tokens, strict=True)
        ]
