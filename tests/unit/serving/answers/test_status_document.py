"""Statuses keep the field names of the objects."""

from bayplan.serving.answers.status_document import model_status_document, server_status_document
from bayplan.serving.statuses.model_status import ModelState, ModelStatus
from bayplan.serving.statuses.server_status import ServerStatus
from unit.serving.builders import key


def test_models():
    status = ModelStatus(ModelState.AVAILABLE, None, 3, 2, 2, "a", ((1, ModelState.TERMINATING),))

    assert model_status_document(key(), status) == {
        "kind": "Status", "workload": "iris", "namespace": "default", "state": "ModelAvailable", "reason": None,
        "ready": True, "scheduled": "partially", "desired": 3, "replicas": 2, "availableReplicas": 2,
        "selector": "server=a", "versions": [{"version": 1, "state": "ModelTerminating"}],
    }  # fmt: skip


def test_servers():
    assert server_status_document(key("a"), ServerStatus(1, 2, 5)) == {
        "kind": "Status", "workload": "a", "namespace": "default", "ready": False, "replicas": 1,
        "expectedReplicas": 2, "loadedModels": 5,
    }  # fmt: skip
