from bayplan.library.status.replica_set import replica_set_status
from unit.library.status.observed import NOW, pods, told, with_status

SET = {"kind": "ReplicaSet", "metadata": {"name": "s", "generation": 2}, "spec": {"minReadySeconds": 10}}


def test_numbers():
    status = replica_set_status(SET, pods(ready=2, waiting=1, leaving=1, failed=1), NOW + 5)

    assert status == {
        "replicas": 3,
        "fullyLabeledReplicas": 3,
        "readyReplicas": 2,
        "availableReplicas": 0,
        "terminatingReplicas": 1,
        "observedGeneration": 2,
    }
    assert replica_set_status(SET, pods(ready=2), NOW + 10)["availableReplicas"] == 2


def test_a_failure_is_told_and_cleared():
    failed = replica_set_status(SET, pods(), NOW, "spec.template: cannot be read")
    repaired = replica_set_status(with_status(SET, failed), pods(ready=1), NOW)

    assert told(failed, "ReplicaFailure") == ("True", "FailedCreate")
    assert "conditions" not in repaired
    assert "terminatingReplicas" not in repaired


def test_what_is_not_supported_stays_told():
    condition = {"type": "Unsupported", "status": "True", "reason": "FieldsIgnored"}

    status = replica_set_status(with_status(SET, {"conditions": [condition]}), pods(), NOW)

    assert status["conditions"] == [condition]
