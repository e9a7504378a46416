"""Prefer the endpoint whose predicted latency suits the request's objectives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bayplan.framework.plugins import Depends
from bayplan.routing.endpoints.prefix_match import DEFAULT_PRODUCER, prefix_column
from bayplan.routing.factors.freshness import scores_by
from bayplan.routing.factors.parameter_checks import at_least, refuse
from bayplan.routing.factors.slo_headrooms import headroom_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.factors.slo_headrooms import Headroom
    from bayplan.routing.requests.routed_request import RoutedRequest

NO_RANGE = 0.5
"""The score of a group whose headrooms are equal."""


@dataclass(frozen=True, slots=True)
class LatencyScorer:
    """Scores the headroom between the request's objectives for TTFT and TPOT and what is predicted for the endpoint.

    Where some endpoints meet both objectives, only these are scored. Else endpoints without requests in flight are,
    else those that miss only TPOT, only TTFT, or both, the first of these groups that has a member. The others score 0.
    Headrooms are compared within the group; of those that meet the objectives the tightest is best (or the widest), of
    those that miss them the nearest. An endpoint without a prediction gets the lowest score of the others. Where no
    endpoint has one, the score is the mean of free KV cache, relative queue and matched prefix.

    Parameters:
        ttft_weight: how much the headroom of TTFT counts.
        tpot_weight: how much the headroom of TPOT counts.
        headroom_selection_strategy: `least`, the tightest fit is best, or `most`.
        composite_KV_weight: the weight of free KV cache where nothing is predicted.
        composite_queue_weight: the weight of the queue there.
        composite_prefix_weight: the weight of the prefix there.
        prefix_match_info_producer_name: the prefix producer that is read; `approx-prefix-cache-producer` where none is
            named.
    """

    ttft_weight: float = 0.8
    tpot_weight: float = 0.2
    headroom_selection_strategy: Literal["least", "most"] = "least"
    composite_KV_weight: float = 1.0  # noqa: N815 (documents say compositeKVWeight)
    composite_queue_weight: float = 1.0
    composite_prefix_weight: float = 1.0
    prefix_match_info_producer_name: str | None = None

    name = "latency-scorer"
    depends = Depends.TABLE
    storages = ("lists",)
    needs = ("predicted-latency-producer",)

    def __post_init__(self) -> None:
        refuse(
            at_least("ttft_weight", self.ttft_weight, 0),
            at_least("tpot_weight", self.tpot_weight, 0),
            at_least("composite_KV_weight", self.composite_KV_weight, 0),
            at_least("composite_queue_weight", self.composite_queue_weight, 0),
            at_least("composite_prefix_weight", self.composite_prefix_weight, 0),
        )

    @property
    def reads(self) -> tuple[str, ...]:
        prefix = prefix_column(self.prefix_match_info_producer_name or DEFAULT_PRODUCER)
        latency = ("predicted_ttft_ms", "predicted_tpot_ms", "inflight_requests")
        return (prefix, *latency, "kv_usage", "waiting", "metrics_at_s")

    def score(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> list[float]:
        headrooms = [
            headroom_of(ask, ttft, tpot)
            for ttft, tpot in zip(rows.predicted_ttft_ms, rows.predicted_tpot_ms, strict=True)
        ]
        if headrooms.count(None) == len(headrooms):
            return self._composite(rows, cycle.now)
        known = {row: headroom for row, headroom in enumerate(headrooms) if headroom is not None}
        scores = dict.fromkeys(known, 0.0)
        group = _compared(known, rows.inflight_requests)
        scores.update(self._of_group(group))
        lowest = min(scores.values())
        return [scores.get(row, lowest) for row in range(rows.size)]

    def _of_group(self, group: dict[int, Headroom]) -> dict[int, float]:
        """The scores of endpoints that are compared with each other; all of them meet the objectives, or none does."""
        ttft = _within_range([abs(each.ttft_ms) for each in group.values()])
        tpot = _within_range([abs(each.tpot_ms) for each in group.values()])
        weights = (self.ttft_weight if ttft else 0.0, self.tpot_weight if tpot else 0.0)
        if not sum(weights):
            return dict.fromkeys(group, NO_RANGE)
        blank = [0.0] * len(group)
        means = [
            (weights[0] * one + weights[1] * other) / sum(weights)
            for one, other in zip(ttft or blank, tpot or blank, strict=True)
        ]
        widest_first = self.headroom_selection_strategy == "most" and next(iter(group.values())).meets_both
        return dict(zip(group, means if widest_first else [1.0 - mean for mean in means], strict=True))

    def _composite(self, rows: Any, now: float) -> list[float]:
        weights = (self.composite_KV_weight, self.composite_queue_weight, self.composite_prefix_weight)
        if not sum(weights):
            return [0.0] * rows.size
        free = scores_by(rows.kv_usage, rows.metrics_at_s, now, lambda usages: [1.0 - usage for usage in usages])
        queue = scores_by(rows.waiting, rows.metrics_at_s, now, _relative_to_longest)
        prefix = [match.share for match in getattr(rows, self.reads[0])]
        return [
            sum(weight * part for weight, part in zip(weights, parts, strict=True)) / sum(weights)
            for parts in zip(free, queue, prefix, strict=True)
        ]


def _compared(known: dict[int, Headroom], inflight: Sequence[int]) -> dict[int, Headroom]:
    """The group that is scored: what meets the objectives, else idle endpoints, else the mildest misses."""
    meeting = {row: each for row, each in known.items() if each.meets_both}
    idle = {row: each for row, each in known.items() if not inflight[row]}
    only_tpot = {row: each for row, each in known.items() if each.ttft_ms >= 0.0}
    only_ttft = {row: each for row, each in known.items() if each.tpot_ms >= 0.0}
    return meeting or idle or only_tpot or only_ttft or known


def _within_range(values: list[float]) -> list[float] | None:
    """Where each value lies between the smallest, 0, and the largest, 1; None where they are equal."""
    low, high = min(values), max(values)
    return None if low == high else [(value - low) / (high - low) for value in values]


def _relative_to_longest(queues: list[float]) -> list[float]:
    longest = max(queues)
    return [(longest - waiting) / longest if longest else 1.0 for waiting in queues]
