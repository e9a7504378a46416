"""The answer to *why* as the JSON document that commands print and programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.placement.answers.plan_document import victim_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.framework.reasons import Rejection
    from bayplan.placement.answers.why import Why, WorkerAnswer


def why_document(why: Why, changes: Iterable[dict[str, Any]] = ()) -> dict[str, Any]:
    """The document of one workload."""
    gang, told = why.gang, _Told()
    return {
        "kind": "Why",
        "workload": why.sized.workload.name,
        "namespace": why.sized.workload.id.namespace,
        "verdict": str(why.verdict),
        "proven": why.plan.proven and gang.proven,
        "workers": [_worker(answer, told) for answer in why.workers],
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


def _worker(answer: WorkerAnswer, told: _Told) -> dict[str, Any]:
    return {
        "worker": answer.worker,
        "feasible": answer.feasible,
        "tier": None if answer.tier is None else str(answer.tier),
        "rejections": [told.document(rejection) for rejection in answer.rejections.values()],
        "score": None if not answer.feasible else _score(answer),
        "held_by": [holder.as_dict() for holder in answer.held_by],
        "unusable_cards": [card.as_dict() for card in answer.unusable],
    }


class _Told:
    """The documents of rejections: equal workers share a rejection, whose sentence is made once."""

    def __init__(self) -> None:
        self._known: dict[int, dict[str, Any]] = {}  # by id: the answers keep every rejection alive meanwhile

    def document(self, rejection: Rejection) -> dict[str, Any]:
        """A document of its own for each worker, so that readers may change one without the others."""
        known = self._known.get(id(rejection))
        if known is None:
            known = self._known[id(rejection)] = rejection.as_dict()
        return known.copy()


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
