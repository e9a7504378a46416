"""The status of a model or server as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.cluster.identity import WorkloadKey
    from bayplan.serving.statuses.model_status import ModelStatus
    from bayplan.serving.statuses.server_status import ServerStatus


def model_status_document(key: WorkloadKey, status: ModelStatus) -> dict[str, Any]:
    """Field names are those of the object, as `kubectl` shows them."""
    return {
        "kind": "Status",
        "workload": key.name,
        "namespace": key.namespace,
        "state": status.state.value,
        "reason": status.reason,
        "ready": status.ready,
        "scheduled": status.scheduled,
        "desired": status.desired,
        "replicas": status.replicas,
        "availableReplicas": status.available_replicas,
        "selector": None if status.server is None else f"server={status.server}",
        "versions": [{"version": version, "state": state.value} for version, state in status.versions],
    }


def server_status_document(key: WorkloadKey, status: ServerStatus) -> dict[str, Any]:
    """The same of a server."""
    return {
        "kind": "Status",
        "workload": key.name,
        "namespace": key.namespace,
        "ready": status.ready,
        "replicas": status.replicas,
        "expectedReplicas": status.expected_replicas,
        "loadedModels": status.loaded_models,
    }
