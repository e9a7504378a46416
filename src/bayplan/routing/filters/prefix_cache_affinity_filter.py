"""Keep the endpoints that hold most of the prompt, unless they are far too busy."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Literal

from bayplan.framework.errors import Problem
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.routing.endpoints.prefix_match import DEFAULT_PRODUCER, prefix_column
from bayplan.routing.factors.chance import happens
from bayplan.routing.factors.parameter_checks import at_least, at_most, between, refuse

if TYPE_CHECKING:
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class PrefixCacheAffinityFilter:
    """Refuses endpoints that hold too little of the prompt, where others hold enough of it.

    All stay where one or no candidate is sticky enough to tell them apart, now and then to explore, and where even the
    best sticky endpoint would answer too much later than the best of the others.

    Parameters:
        affinity_threshold: the share of the prompt's blocks from which on an endpoint is sticky; 0 or less keeps all.
        exploration_probability: how often all are kept for no reason.
        max_TTFT_penalty_ms: by how much the best sticky endpoint may answer later than the best other one; 0 or less
            sets no limit.
        ttft_source: where the time to the first token comes from: `prefillThroughput`, from the tokens in flight, or
            `latencyPredictor`.
        peak_prefill_throughput: prefill tokens per second of an endpoint, for `prefillThroughput`.
        prefix_match_info_producer_name: the prefix producer that is read; `approx-prefix-cache-producer` where none is
            named.
    """

    affinity_threshold: float = 0.8
    exploration_probability: float = 0.0
    max_TTFT_penalty_ms: float = 18_000.0  # noqa: N815 (documents say maxTTFTPenaltyMs)
    ttft_source: Literal["prefillThroughput", "latencyPredictor"] = "prefillThroughput"
    peak_prefill_throughput: float = 15_928.0
    prefix_match_info_producer_name: str | None = None

    name = "prefix-cache-affinity-filter"
    depends = Depends.TABLE
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(
            at_most("affinity_threshold", self.affinity_threshold, 1),
            between("exploration_probability", self.exploration_probability, 0, 1),
            at_least("peak_prefill_throughput", self.peak_prefill_throughput, 0),
        )
        divides = self.ttft_source == "prefillThroughput" and self.max_TTFT_penalty_ms > 0
        if divides and not self.peak_prefill_throughput:
            step = "give tokens per second, or maxTTFTPenaltyMs: 0"
            refuse(Problem("peak_prefill_throughput", f"{self.peak_prefill_throughput} tells no time", step))

    @property
    def reads(self) -> tuple[str, ...]:
        prefix = prefix_column(self.prefix_match_info_producer_name or DEFAULT_PRODUCER)
        return (prefix, "inflight_tokens", "predicted_ttft_ms")

    def mask(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> list[bool]:
        threshold = self.affinity_threshold
        everybody = [True] * rows.size
        if threshold <= 0 or rows.size <= 1:
            return everybody
        sticky = [match.share >= threshold for match in getattr(rows, self.reads[0])]
        if not any(sticky) or happens(self.exploration_probability, cycle):
            return everybody
        return everybody if self._is_too_late(rows, sticky) else sticky

    def explain(self, ask: RoutedRequest, refused: Any, cycle: Cycle) -> Reasons:
        return Reasons(
            "prefix-affinity",
            share=[match.share for match in getattr(refused, self.reads[0])],
            threshold=self.affinity_threshold,
            text="holds {share:.2f} of the prompt, others hold {threshold} or more",
        )

    def _is_too_late(self, rows: Any, sticky: list[bool]) -> bool:
        """Whether the best sticky endpoint answers too much later than the best of the others."""
        if self.max_TTFT_penalty_ms <= 0 or all(sticky):
            return False
        times = self._ttft_ms(rows)
        best = min(time for time, is_sticky in zip(times, sticky, strict=True) if is_sticky)
        best_other = min(time for time, is_sticky in zip(times, sticky, strict=True) if not is_sticky)
        return best != best_other and best - best_other > self.max_TTFT_penalty_ms  # infinity less itself is no number

    def _ttft_ms(self, rows: Any) -> list[float]:
        if self.ttft_source == "latencyPredictor":
            return [inf if predicted is None else predicted for predicted in rows.predicted_ttft_ms]
        return [tokens / self.peak_prefill_throughput * 1000.0 for tokens in rows.inflight_tokens]
