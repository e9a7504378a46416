"""The status of a ToolBinding: whether there is a pool behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, number, part, with_fields
from bayplan.library.status.moments import moment_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_OWNED = ("Ready",)


def tool_binding_status(
    binding: Mapping[str, Any], pool_name: str, pool: Mapping[str, Any] | None, now: float
) -> Object:
    """The new status: Pending without a pool, Bound with one, Active while the pool has a ready replica."""
    ready = number(part(pool or {}, "status").get("readyReplicas"))
    if pool is None:
        reason, message = ("PoolNotFound", f"there is no AgentPool {pool_name}") if pool_name else _NO_POOL
        phase, told = "Pending", Condition("Ready", False, reason, message)
    elif ready:
        phase = "Active"
        told = Condition("Ready", True, "PoolReady", f"AgentPool {pool_name} has {ready} ready replicas")
    else:
        phase, told = "Bound", Condition("Ready", False, "PoolNotReady", f"AgentPool {pool_name} has no ready replica")
    return with_fields(
        part(binding, "status"),
        phase=phase,
        observedGeneration=generation_of(binding),
        conditions=with_conditions(conditions_of(binding), [told], _OWNED, moment_text(now)),
    )


_NO_POOL = ("NoPool", "agentPoolRef names no pool")
