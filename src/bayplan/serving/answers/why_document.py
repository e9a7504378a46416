"""Why a model fits or not: every server, every replica, every code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.serving.answers.rejection_document import rejection_document

if TYPE_CHECKING:
    from bayplan.serving.books.ledger import Ledger
    from bayplan.serving.planning.model_plan import ModelPlan
    from bayplan.serving.planning.refusals import Refusals, ServerRefusals


def why_document(plan: ModelPlan, refusals: Refusals, ledger: Ledger, warnings: tuple[str, ...]) -> dict[str, Any]:
    """The document of one model; `refusals` are there also where the model fits."""
    model = plan.model
    return {
        "kind": "Why",
        "scheduler": "serving",
        "workload": model.key.name,
        "namespace": model.key.namespace,
        "version": plan.version,
        "verdict": plan.verdict.value,
        "workers": [],
        "servers": [_server(each, plan, ledger) for each in refusals.servers.values()],
        "scale_up": None if plan.growth is None else {"server": plan.growth.server, "replicas": plan.growth.replicas},
        "changes": [],
        "warnings": list(warnings),
    }


def _server(refused: ServerRefusals, plan: ModelPlan, ledger: Ledger) -> dict[str, Any]:
    book = ledger.servers[refused.server]
    kept = {each.index for each in plan.holdings.here if each.server == refused.server}
    return {
        "server": refused.server,
        "feasible": refused.eligible and refused.fitting >= plan.model.least,
        "rejections": [rejection_document(each) for each in refused.own],
        "replicas": [
            {
                "serverReplica": index,
                "feasible": not codes,
                "kept": index in kept,
                "free_mib": book.replicas[index].free_mib,
                "rejections": [rejection_document(each) for each in codes],
            }
            for index, codes in refused.replicas.items()
        ],
    }
