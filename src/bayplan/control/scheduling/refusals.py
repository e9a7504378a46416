"""Why a unit has no place, in one sentence: for the condition of its Pods, its events and the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.placement.planning.plan import Plan

_SHOWN = 3  # reasons that a message lists; the others are counted


def refusal_message(plan: Plan, workers: int) -> str:
    """`of 12 workers: 8 gpu-memory-short (needs …), 4 cordoned (…)`, with the numbers of the nearest worker."""
    found = plan.refused.summaries()
    placed = f"{len(plan.replicas)} of {plan.desired} placed; " if plan.replicas else ""
    if not workers:
        return "the cluster has no workers; apply Nodes or a Cluster, or start one: bayplan worker"
    if not found:
        return f"{placed}no worker can take it; see `bayplan why`"
    told = [f"{each.workers} {each.code} ({each.message})" for each in found[:_SHOWN]]
    more = len(found) - _SHOWN
    beside = f" and {more} more reason{'s' * (more > 1)}" if more > 0 else ""
    gang = f"; the gang needs {plan.minimum} at once" if plan.minimum > 1 and not plan.replicas else ""
    return f"{placed}of {workers} worker{'s' * (workers != 1)}: {', '.join(told)}{beside}{gang}"


def rejections_of(plan: Plan) -> list[dict[str, Any]]:
    """The same as data."""
    return [each.as_dict() for each in plan.refused.summaries()]
