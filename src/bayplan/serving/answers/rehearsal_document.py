"""The state after one step of a rehearsal as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.serving.answers.status_document import model_status_document
from bayplan.serving.statuses.model_status import model_status

if TYPE_CHECKING:
    from bayplan.cluster.identity import WorkloadKey
    from bayplan.serving.books.model_replica import ModelReplica
    from bayplan.serving.following.serving_state import Served, ServingState


def step_document(state: ServingState, served: Served | None) -> dict[str, Any]:
    """All bookings, the statuses of the applied models, and who answered a request."""
    return {
        "bookings": [_booking(each, state) for each in state.ledger.bookings],
        "models": {
            _name(key, state): model_status_document(key, model_status(state.plan(key))) for key in state.models
        },
        "served": None if served is None else served.model is not None,
        "served_by": None if served is None or served.model is None else _served_by(served.model),
    }


def _booking(model: ModelReplica, state: ServingState) -> dict[str, Any]:
    return {
        "workload": model.key.name,
        "namespace": model.key.namespace,
        "version": model.version,
        "server": model.server,
        "serverReplica": model.index,
        "memory": model.memory_mib,
        "state": model.state.value,
        "instances": model.instances,
        "dedicated": model.dedicated,
        "resident": model in state.residency,
    }


def _served_by(model: ModelReplica) -> dict[str, Any]:
    return {"server": model.server, "serverReplica": model.index, "version": model.version}


def _name(key: WorkloadKey, state: ServingState) -> str:
    """The name, with its namespace where another model has the same name."""
    alike = sum(other.name == key.name for other in state.models)
    return key.name if alike == 1 else f"{key.namespace}/{key.name}"
