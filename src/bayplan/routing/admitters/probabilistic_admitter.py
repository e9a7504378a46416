"""Refuse sheddable requests with a probability that grows with the load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.routing.endpoints.columns import FRESH_S
from bayplan.routing.factors.chance import happens
from bayplan.routing.factors.parameter_checks import above, at_least, refuse
from bayplan.routing.factors.pool_saturation import mean_utilization
from bayplan.routing.plugin_kinds import ADMITTER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.list_table import ListTable
    from bayplan.routing.requests.routed_request import RoutedRequest


@dataclass(frozen=True, slots=True)
class ProbabilisticAdmitter:
    """Denies requests of negative priority with the probability min(1, saturation^power · k).

    The saturation is that of the request's candidates: the mean of the larger of queue and KV cache against thresholds.
    Metrics older than 2 s, or unknown ones, count as a full endpoint.

    Parameters:
        queue_depth_threshold: the queue of a full endpoint.
        kv_cache_util_threshold: the KV cache usage of a full endpoint.
        power: how late the probability begins to grow.
        k: how fast it grows then.
    """

    queue_depth_threshold: int = 5
    kv_cache_util_threshold: float = 0.8
    power: float = 5.0
    k: float = 300.0

    name = "probabilistic-admitter"
    kinds = (ADMITTER,)

    def __post_init__(self) -> None:
        refuse(
            above("queue_depth_threshold", self.queue_depth_threshold, 0),
            above("kv_cache_util_threshold", self.kv_cache_util_threshold, 0),
            at_least("power", self.power, 0),
            at_least("k", self.k, 0),
        )

    def denies(self, request: RoutedRequest, table: ListTable, rows: Sequence[int], cycle: Cycle) -> str | None:
        """Why the request is refused; None: it is admitted."""
        if request.priority >= 0:
            return None
        queue, usage = self.queue_depth_threshold, self.kv_cache_util_threshold
        saturation = mean_utilization(table, rows, cycle.now - FRESH_S, queue, usage)
        probability = _probability(saturation, self.power, self.k)
        if not happens(probability, cycle):
            return None
        return f"at a saturation of {saturation:.2f}, requests of negative priority are refused with {probability:.0%}"


def _probability(saturation: float, power: float, k: float) -> float:
    try:
        return min(1.0, float(saturation**power) * k)
    except OverflowError:  # beyond the range of numbers
        return 1.0 if k else 0.0
