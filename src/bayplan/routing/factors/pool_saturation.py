"""How full endpoints are, stage by stage: what both detectors and the admitter count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.routing.factors.roles import stage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bayplan.framework.list_table import ListTable
    from bayplan.routing.factors.roles import Stage

SATURATED = 1.0


def rows_by_stage(table: ListTable) -> dict[Stage, list[int]]:
    """The rows that are ready, by stage; stages without such a row are absent."""
    stages: dict[Stage, list[int]] = {}
    columns = table.columns
    for row, (ready, role) in enumerate(zip(columns["ready"], columns["role"], strict=True)):
        if ready:
            stages.setdefault(stage_of(role), []).append(row)
    return stages


def fullest_stage(table: ListTable, saturation: Callable[[Sequence[int]], float]) -> float:
    """The saturation of the fullest stage; a pool without a ready endpoint is saturated."""
    return max(map(saturation, rows_by_stage(table).values()), default=SATURATED)


def mean_utilization(
    table: ListTable, rows: Iterable[int], oldest_s: float, queue_depth: float, kv_usage: float
) -> float:
    """The mean over rows of the larger of waiting/queue_depth and usage/kv_usage.

    A row with metrics from before `oldest_s`, or with either unknown, counts as saturated; so does no row at all.
    """
    columns: dict[str, Any] = table.columns
    waiting, usage, measured = columns["waiting"], columns["kv_usage"], columns["metrics_at_s"]
    total, count = 0.0, 0
    for row in rows:
        count += 1
        if waiting[row] is None or usage[row] is None or measured[row] is None or measured[row] < oldest_s:
            total += SATURATED
        else:
            total += max(waiting[row] / queue_depth, usage[row] / kv_usage)
    return total / count if count else SATURATED
