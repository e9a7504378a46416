"""How full the pool is by queues and KV caches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.framework.errors import Problem
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.routing.factors.duration import seconds_of
from bayplan.routing.factors.parameter_checks import above, at_least, refuse
from bayplan.routing.factors.pool_saturation import fullest_stage, mean_utilization
from bayplan.routing.plugin_kinds import DETECTOR

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.list_table import ListTable
    from bayplan.routing.endpoints.columns import EndpointRows
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class UtilizationDetector:
    """Says how full the pool is: the mean over ready endpoints of the larger of queue and KV cache against thresholds.

    An endpoint with old metrics, or whose queue or KV cache is unknown, counts as full. Stages are counted apart, and
    the fullest counts. As a filter it keeps endpoints below both thresholds with fresh metrics; all if there is none.

    Parameters:
        queue_depth_threshold: the queue of a full endpoint.
        kv_cache_util_threshold: the KV cache usage of a full endpoint.
        metrics_staleness_threshold: metrics that are older do not count, as in `200ms`.
        headroom: by which part the filter's thresholds are higher.
    """

    queue_depth_threshold: int = 5
    kv_cache_util_threshold: float = 0.8
    metrics_staleness_threshold: str = "2s"
    headroom: float = 0.0
    staleness_s: float = field(init=False, repr=False)

    name = "utilization-detector"
    kinds = (DETECTOR,)
    reads = ("waiting", "kv_usage", "metrics_at_s")
    depends = Depends.TABLE
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(
            above("queue_depth_threshold", self.queue_depth_threshold, 0),
            above("kv_cache_util_threshold", self.kv_cache_util_threshold, 0),
            at_least("headroom", self.headroom, 0),
        )
        seconds = seconds_of(self.metrics_staleness_threshold)
        if seconds is None or seconds < 0:
            message = f"{self.metrics_staleness_threshold!r} is no duration"
            refuse(Problem("metrics_staleness_threshold", message, "write one such as 200ms"))
        object.__setattr__(self, "staleness_s", seconds)

    def saturation(self, table: ListTable, now: float) -> float:
        """How full the fullest stage is."""
        oldest_s, queue, usage = now - self.staleness_s, self.queue_depth_threshold, self.kv_cache_util_threshold
        return fullest_stage(table, lambda rows: mean_utilization(table, rows, oldest_s, queue, usage))

    def mask(self, ask: RoutedRequest, rows: EndpointRows, cycle: Cycle) -> list[bool]:
        oldest_s = cycle.now - self.staleness_s
        queue, usage = (
            self.queue_depth_threshold * (1 + self.headroom),
            self.kv_cache_util_threshold * (1 + self.headroom),
        )
        mask = [
            waiting is not None
            and used is not None
            and measured is not None
            and measured >= oldest_s
            and waiting < queue
            and used < usage
            for waiting, used, measured in zip(rows.waiting, rows.kv_usage, rows.metrics_at_s, strict=True)
        ]
        return mask if any(mask) else [True] * rows.size

    def explain(self, ask: RoutedRequest, refused: EndpointRows, cycle: Cycle) -> Reasons:
        return Reasons(
            "utilization",
            waiting=["unknown" if each is None else each for each in refused.waiting],
            usage=["unknown" if each is None else each for each in refused.kv_usage],
            text="its metrics are old, or its queue ({waiting}) or KV cache ({usage}) is full",
        )
