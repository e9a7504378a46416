"""The plan of a model as the JSON document that commands print and programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.serving.answers.rejection_document import rejection_document
from bayplan.serving.answers.status_document import model_status_document
from bayplan.serving.statuses.model_status import model_status

if TYPE_CHECKING:
    from bayplan.serving.planning.model_plan import ModelPlan

NOTE = "a feasibility answer at this revision, not a reservation"


def plan_document(plan: ModelPlan, warnings: tuple[str, ...] = ()) -> dict[str, Any]:
    """The document of one model. It must be made before the ledger changes: bookings are read as they are."""
    model, holdings = plan.model, plan.holdings
    kept = {each.place for each in holdings.here}
    growth = plan.growth
    return {
        "kind": "Plan",
        "scheduler": "serving",
        "workload": model.key.name,
        "namespace": model.key.namespace,
        "version": plan.version,
        "revision": plan.revision,
        "note": NOTE,
        "verdict": plan.verdict.value,
        "desired": model.desired,
        "minimum": model.least,
        "placed": len(plan.places),
        "server": plan.server,
        "replicas": [
            {
                "server": server,
                "serverReplica": index,
                "memory_mib": holdings.need_mib,
                "kept": (server, index) in kept,
            }
            for server, index in plan.places
        ],
        "removals": [
            {
                "server": removal.model.server,
                "serverReplica": removal.model.index,
                "version": removal.model.version,
                "reason": removal.reason.value,
            }
            for removal in plan.removals
        ],
        "rejections": [
            {"server": server, "serverReplica": index, **rejection_document(rejection)}
            for server, index, rejection in plan.refusals or ()
        ],
        "scale_up": None if growth is None else {"server": growth.server, "replicas": growth.replicas},
        "status": model_status_document(model.key, model_status(plan)),
        "warnings": list(warnings),
    }
