"""The answer to *why* as the JSON document that commands print and programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.placement.answers.plan_document import victim_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.placement.answers.why import Why, WorkerAnswer


def why_document(why: Why, changes: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """The document of one workload."""
    gang = why.gang
    return {
        "kind": "Why",
        "workload": why.sized.workload.name,
        "namespace": why.sized.workload.id.namespace,
        "verdict": str(why.verdict),
        "proven": why.plan.proven and gang.proven,
        "workers": [_worker(answer) for answer in why.workers],
        "gang": {
            "desired": gang.desired,
            "minimum": gang.minimum,
            "placeable": gang.placeable,
            "blocking": list(gang.blocking),
        },
        "victims": [victim_document(victim, why.planner) for victim in why.plan.victims],
        "unknowns": [each.as_dict() for each in why.unknowns],
        "changes": list(changes),
        "warnings": list(why.plan.warnings),
    }


def _worker(answer: WorkerAnswer) -> dict[str, Any]:
    return {
        "worker": answer.worker,
        "feasible": answer.feasible,
        "tier": None if answer.tier is None else str(answer.tier),
        "rejections": [rejection.as_dict() for rejection in answer.rejections.values()],
        "score": None if not answer.feasible else _score(answer),
        "held_by": [holder.as_dict() for holder in answer.held_by],
        "unusable_cards": [card.as_dict() for card in answer.unusable],
    }


def _score(answer: WorkerAnswer) -> dict[str, Any]:
    return {
        "total": answer.total,
        "terms": [
            {
                "plugin": term.scorer,
                "weight": term.weight,
                "level": term.level,
                "score": term.score,
                "contribution": term.contribution,
                "note": term.note or None,
            }
            for term in answer.terms
        ],
    }
