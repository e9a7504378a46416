import pytest

from bayplan.library.status.replicas import Replicas
from unit.library.status.observed import pods

CASES = {
    "nothing is wanted": (0, {}, "Ready", ("True", "ScaledToZero"), None),
    "nothing is made yet": (3, {}, "Pending", ("False", "Creating"), None),
    "all wait": (3, {"waiting": 3}, "Pending", ("False", "Waiting"), ("False", "Waiting")),
    "all are refused": (3, {"refused": 3}, "Pending", ("False", "Unschedulable"), ("False", "Unschedulable")),
    "all start": (3, {"starting": 3}, "Pending", ("False", "Starting"), ("True", "Scheduled")),
    "some are ready, others start": (
        3, {"ready": 1, "running": 2}, "Scaling", ("False", "Starting"), ("True", "Scheduled")),
    "some are ready, others are made": (3, {"ready": 1}, "Scaling", ("False", "Creating"), ("True", "Scheduled")),
    "some are ready, others are refused": (
        3, {"ready": 2, "refused": 1}, "Degraded", ("False", "Unschedulable"), ("False", "Unschedulable")),
    "some are ready, others crash": (
        3, {"ready": 2, "crashing": 1}, "Degraded", ("False", "ReplicasFail"), ("True", "Scheduled")),
    "all crash": (2, {"crashing": 2}, "Failed", ("False", "ReplicasFail"), ("True", "Scheduled")),
    "one crashes, one still starts": (
        2, {"crashing": 1, "starting": 1}, "Pending", ("False", "ReplicasFail"), ("True", "Scheduled")),
    "one failed and is not replaced yet": (1, {"failed": 1}, "Failed", ("False", "ReplicasFail"), None),
    "one failed and its successor waits": (
        1, {"failed": 1, "waiting": 1}, "Pending", ("False", "ReplicasFail"), ("False", "Waiting")),
    "all are ready": (3, {"ready": 3}, "Ready", ("True", "AllReplicasReady"), ("True", "Scheduled")),
    "all are ready, one that failed is kept": (
        3, {"ready": 3, "failed": 1}, "Ready", ("True", "AllReplicasReady"), ("True", "Scheduled")),
    "too many are left": (1, {"ready": 3}, "Scaling", ("True", "ScalingDown"), ("True", "Scheduled")),
    "the last ones leave": (
        1, {"ready": 1, "leaving": 2}, "Ready", ("True", "AllReplicasReady"), ("True", "Scheduled")),
}  # fmt: skip


@pytest.mark.parametrize(("desired", "there", "phase", "ready", "scheduled"), CASES.values(), ids=CASES)
def test_phase_and_conditions(desired, there, phase, ready, scheduled):
    replicas = Replicas(desired, pods(**there))

    found = {each.type: (each.status, each.reason) for each in replicas.conditions}
    assert replicas.phase == phase
    assert found["Ready"] == ready
    assert found.get("Scheduled") == scheduled


def test_the_reason_of_the_scheduler_is_told_with_numbers():
    ready, scheduled = Replicas(4, pods(ready=1, refused=3)).conditions

    assert ready.message == "1 of 4 replicas are ready; 3 wait for a place"
    assert scheduled.message == "1 of 4 Pods have a place; 3 Pods: gpu-count-short: 0 of 1 GPUs is free"


def test_what_cannot_be_read_has_failed():
    replicas = Replicas(0, pods(ready=1), "spec.gpus.count: no number")

    assert replicas.phase == "Failed"
    assert (replicas.conditions[0].reason, replicas.conditions[0].message) == (
        "InvalidSpec",
        "spec.gpus.count: no number",
    )
