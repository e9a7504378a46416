"""Prefer the endpoint that holds more of the prompt in its prefix cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.routing.endpoints.prefix_match import DEFAULT_PRODUCER, prefix_column, prefix_scores
from bayplan.routing.factors.parameter_checks import above, between, refuse

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.rows import Rows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class PrefixCacheScorer:
    """Scores the share of the prompt's blocks that the endpoint holds, 0 where the prompt has no block.

    With a weight w for the length of the match it scores w·min(1, matched tokens / scale)² + (1 − w)·share.

    Parameters:
        prefix_match_info_producer_name: the prefix producer that is read; `approx-prefix-cache-producer` where none is
            named.
        match_length_weight: w, from 0 to 1.
        match_length_scale_tokens: the length of a match that counts fully.
    """

    prefix_match_info_producer_name: str | None = None
    match_length_weight: float = 0.0
    match_length_scale_tokens: int = 8192

    name = "prefix-cache-scorer"
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(
            between("match_length_weight", self.match_length_weight, 0, 1),
            above("match_length_scale_tokens", self.match_length_scale_tokens, 0),
        )

    @property
    def reads(self) -> tuple[str, ...]:
        return (prefix_column(self.prefix_match_info_producer_name or DEFAULT_PRODUCER),)

    def score(self, ask: RoutedRequest, rows: Rows, cycle: Cycle) -> list[float]:
        matches = getattr(rows, self.reads[0])
        return prefix_scores(matches, self.match_length_weight, self.match_length_scale_tokens)
