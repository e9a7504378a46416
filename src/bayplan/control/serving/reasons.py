"""Why a model is not where it should be, in one sentence for its status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.serving.statuses.model_status import model_status

if TYPE_CHECKING:
    from bayplan.serving.planning.model_plan import ModelPlan

_MOST_TOLD = 3  # servers in one sentence; `bayplan why` tells all


def refusal_text(plan: ModelPlan) -> str:
    """What stands in its way, server by server; empty where nothing does."""
    status = model_status(plan)
    if plan.refusals is None or not (plan.refused or status.scheduled == "partially"):
        return ""
    told = []
    for each in plan.refusals.servers.values():
        own = [rejection.message for rejection in each.own]
        replicas = [f"{each.server}/{index}: {codes[0].message}" for index, codes in each.replicas.items() if codes]
        told.append(f"{each.server}: {'; '.join([*own[:1], *replicas[:1]])}" if own else "; ".join(replicas[:1]))
    shown = [each for each in told if each]
    left = len(shown) - _MOST_TOLD
    return "; ".join([*shown[:_MOST_TOLD], *([f"{left} more servers"] if left > 0 else [])]) or "there is no server"
