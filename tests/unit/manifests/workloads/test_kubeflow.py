"""PyTorchJobs and MPIJobs."""

from __future__ import annotations

import pytest

from bayplan.manifests.workloads.kubeflow import collect_mpi_job, collect_pytorch_job
from unit.manifests.opened import places
from unit.manifests.workloads.templates import collected, members, template


def replicas(number, cards):
    return {"replicas": number, "restartPolicy": "OnFailure", "template": template(cards)}


KINDS = {
    "PyTorchJob": (
        collect_pytorch_job,
        {"pytorchReplicaSpecs": {"Master": replicas(None, 1), "Worker": replicas(7, 2)}},
    ),
    "MPIJob": (
        collect_mpi_job,
        {"slotsPerWorker": 1, "mpiReplicaSpecs": {"Master": replicas(1, 1), "Worker": replicas(7, 2)}},
    ),
}


@pytest.mark.parametrize(("collect", "spec"), KINDS.values(), ids=KINDS)
def test_a_role_for_each_type(collect, spec):
    (found,), fields = collected(collect, {**spec, "runPolicy": {"cleanPodPolicy": "None"}})

    assert members(found) == [("Master", 1, 1), ("Worker", 7, 2)]
    assert (found.workload.desired, found.workload.minimum) == (8, 8)
    assert not fields.findings.warnings


POLICIES = {
    "a minimum": ({"schedulingPolicy": {"minAvailable": 5, "queue": "q"}}, 8, 5),
    "no minimum": ({"schedulingPolicy": {"queue": "q"}}, 8, 8),
    "suspended": ({"suspend": True}, 0, 1),
}


@pytest.mark.parametrize(("policy", "desired", "minimum"), POLICIES.values(), ids=POLICIES)
def test_policies_of_a_run(policy, desired, minimum):
    (found,), _ = collected(collect_pytorch_job, {**KINDS["PyTorchJob"][1], "runPolicy": policy})

    assert found.workload.desired == desired
    assert found.workload.minimum == minimum


WRONG = {
    "no types": ({}, ["spec.pytorchReplicaSpecs"]),
    "types as a list": ({"pytorchReplicaSpecs": []}, ["spec.pytorchReplicaSpecs"]),
    "a type that is a number": ({"pytorchReplicaSpecs": {"Worker": 3}}, ["spec.pytorchReplicaSpecs.Worker"]),
    "a minimum": (
        {**KINDS["PyTorchJob"][1], "runPolicy": {"schedulingPolicy": {"minAvailable": "x"}}},
        ["spec.runPolicy.schedulingPolicy.minAvailable"],
    ),
}


@pytest.mark.parametrize(("spec", "where"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_has_its_place(spec, where):
    _, fields = collected(collect_pytorch_job, spec)

    assert places(fields)[: len(where)] == where
