"""The status of a Server of Seldon: how many replicas are connected, and how many models they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.library.status.conditions import Condition, conditions_of, with_conditions
from bayplan.library.status.documents import Object, generation_of, part, with_fields
from bayplan.library.status.moments import moment_text
from bayplan.manifests.marks import SERVER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.serving.statuses.server_status import ServerStatus

READY, SET_READY = "Ready", "StatefulSetReady"
_OWNED = (READY, SET_READY)


def model_server_status(server: Mapping[str, Any], status: ServerStatus, now: float) -> Object:
    """The new status."""
    reason = "AllConnected" if status.ready else "ReplicasAwaited" if status.expected_replicas else "NoReplicas"
    message = f"{status.replicas} of {status.expected_replicas} replicas are connected"
    told = [Condition(each, status.ready, reason, message) for each in _OWNED]
    return with_fields(
        part(server, "status"),
        replicas=status.replicas,
        loadedModels=status.loaded_models,
        selector=f"{SERVER}={server['metadata']['name']}",
        observedGeneration=generation_of(server),
        conditions=with_conditions(conditions_of(server), told, _OWNED, moment_text(now)),
    )
