"""Keep the endpoints whose load is within limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Reasons
from bayplan.framework.twins import Twin
from bayplan.routing.factors.parameter_checks import at_least, given, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.routing.requests.routed_request import RoutedRequest

Metric: TypeAlias = Literal["active-requests", "running-requests", "waiting-queue", "kv-cache-utilization"]

COLUMNS: Final[Mapping[Metric, str]] = {
    "active-requests": "inflight_requests",
    "running-requests": "running",
    "waiting-queue": "waiting",
    "kv-cache-utilization": "kv_usage",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A limit of one metric.

    Parameters:
        metric: `active-requests` (of this router), `running-requests`, `waiting-queue` or `kv-cache-utilization`.
        max_value: the largest value that is allowed.
    """

    metric: Metric
    max_value: float

    def __post_init__(self) -> None:
        refuse(at_least("max_value", self.max_value, 0))


@dataclass(frozen=True, slots=True)
class UtilizationFilter:
    """Refuses an endpoint of which a metric is above its limit; an unknown metric counts as 0.

    Parameters:
        conditions: the limits, each with `metric` and `maxValue`.
        fallback_on_empty: whether all are kept where none is within the limits.
    """

    conditions: tuple[Condition, ...]
    fallback_on_empty: bool = False

    name = "utilization-filter"
    storages = ("lists",)

    def __post_init__(self) -> None:
        refuse(given("conditions", self.conditions, "a list of {metric, maxValue}"))

    @property
    def reads(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(COLUMNS[condition.metric] for condition in self.conditions))

    @property
    def depends(self) -> Depends:
        return Depends.TABLE if self.fallback_on_empty else Depends.STATIC  # the fallback looks at all candidates

    def mask(self, ask: RoutedRequest, rows: Any, cycle: Cycle) -> list[bool]:
        mask = [True] * rows.size
        for condition in self.conditions:
            values = getattr(rows, COLUMNS[condition.metric])
            mask = [passed and _within(condition.max_value, value) for passed, value in zip(mask, values, strict=True)]
        return [True] * rows.size if self.fallback_on_empty and not any(mask) else mask

    def twin(self, ask: RoutedRequest, shared: Mapping[str, Any]) -> Twin | None:
        limits = tuple(condition.max_value for condition in self.conditions)
        columns = tuple(COLUMNS[condition.metric] for condition in self.conditions)
        function = _TWINS.get(len(limits))
        return None if function is None or self.fallback_on_empty else Twin(function, limits, columns)

    def explain(self, ask: RoutedRequest, refused: Any, cycle: Cycle) -> Reasons:
        limits = ", ".join(f"{each.metric} at most {each.max_value:g}" for each in self.conditions)
        return Reasons("utilization", limits=limits, text="is above a limit: {limits}")


def _within(most: float, value: float | None) -> bool:
    return value is None or value <= most


def _both_within(most: float, most_second: float, value: float | None, second: float | None) -> bool:
    return (value is None or value <= most) and (second is None or second <= most_second)


_TWINS: Final[Mapping[int, Callable[..., bool]]] = {1: _within, 2: _both_within}
"""By the number of conditions; more of them are rare, and then the filter is called."""
