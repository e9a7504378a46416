"""Prefer the endpoint that holds more of the prompt by its own word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.routing.endpoints.prefix_match import prefix_scores
from bayplan.routing.factors.parameter_checks import above, between, refuse
from bayplan.routing.prefix.precise import PreciseMatching

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(slots=True, eq=False)
class PrecisePrefixCacheScorer(PreciseMatching):
    """Scores the share of the prompt's full blocks that the endpoint holds, by the KV events of its engine.

    It is `precise-prefix-cache-producer` and `prefix-cache-scorer` in one, and other plugins may read its matches.

    Parameters:
        token_processor_config: how prompts are cut into blocks.
        indexer_config: settings of llm-d's index; they have no effect here.
        kv_events_config: where events come from; the reader of events uses it.
        speculative_indexing: whether a picked endpoint is taken to hold the request's blocks for 2 s.
        match_length_weight: the weight of the length of the match, from 0 to 1.
        match_length_scale_tokens: the length of a match that counts fully.
    """

    match_length_weight: float = 0.0
    match_length_scale_tokens: int = 8192

    name = "precise-prefix-cache-scorer"

    def __post_init__(self) -> None:
        PreciseMatching.__post_init__(self)
        refuse(
            between("match_length_weight", self.match_length_weight, 0, 1),
            above("match_length_scale_tokens", self.match_length_scale_tokens, 0),
        )

    def score(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> list[float]:
        matches = self.matches(ask, rows.name, rows.block_size, cycle.now)
        return prefix_scores(matches, self.match_length_weight, self.match_length_scale_tokens)
