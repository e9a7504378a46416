"""The status of an AgentPool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.documents import Object, part, with_fields
from bayplan.library.status.moments import moment_text
from bayplan.library.status.workload import workload_status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.library.status.replicas import Replicas


def agent_pool_status(
    pool: Mapping[str, Any], replicas: Replicas, selector: str, now: float, usd_per_hour: float | None = None
) -> Object:
    """The new status; the cost is left out while a price is not known."""
    old = part(pool, "status")
    status = workload_status(pool, replicas, selector, now)
    changed = "desiredReplicas" in old and old["desiredReplicas"] != replicas.desired
    return with_fields(
        status,
        currentCostPerHour=None if usd_per_hour is None else round(usd_per_hour, 4),
        lastScaleTime=moment_text(now) if changed else old.get("lastScaleTime"),
    )
