"""The status of a PodDisruptionBudget: how many of its Pods may go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, part, with_fields
from bayplan.library.status.moments import moment_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_OWNED = ("DisruptionAllowed",)


def disruption_budget_status(budget: Mapping[str, Any], healthy: int, expected: int, now: float) -> Object:
    """The new status; `expected` Pods are those that the controllers of its Pods ask for."""
    needed = needed_healthy(part(budget, "spec"), expected)
    allowed = max(0, healthy - needed) if expected else 0
    reason = "SufficientPods" if allowed else "InsufficientPods"
    conditions = [Condition("DisruptionAllowed", allowed > 0, reason)]
    return with_fields(
        part(budget, "status"),
        observedGeneration=generation_of(budget),
        currentHealthy=healthy,
        desiredHealthy=needed,
        expectedPods=expected,
        disruptionsAllowed=allowed,
        conditions=with_conditions(conditions_of(budget), conditions, _OWNED, moment_text(now)),
    )


def needed_healthy(spec: Mapping[str, Any], expected: int) -> int:
    """How many must stay healthy; percentages are rounded up, as Kubernetes does."""
    if spec.get("maxUnavailable") is not None:
        return max(0, expected - _share(spec["maxUnavailable"], expected))
    return _share(spec.get("minAvailable", 1), expected)


def _share(value: Any, whole: int) -> int:
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdigit():
        return -(-int(value[:-1]) * whole // 100)
    return int(value) if isinstance(value, int) or (isinstance(value, str) and value.isdigit()) else whole
