"""Jobs of Volcano."""

from __future__ import annotations

import pytest

from bayplan.manifests.workloads.volcano import collect_volcano_job
from unit.manifests.opened import places
from unit.manifests.workloads.templates import collected, members, template


def task(name, replicas, cards=4, **spec):
    return {"name": name, "replicas": replicas, "template": template(cards), "policies": [], **spec}


MINIMA = {
    "of the job": ({"minAvailable": 3}, (task("ps", 1, 0), task("worker", 4)), 3),
    "none": ({}, (task("ps", 1, 0), task("worker", 4)), 5),
    "of the tasks": ({}, (task("ps", 1, 0), task("worker", 4, minAvailable=2)), 3),
    "0 is none": ({"minAvailable": 0}, (task("worker", 4),), 4),
    "a task needs no more than it has": ({}, (task("worker", 2, minAvailable=9),), 2),
}


@pytest.mark.parametrize(("spec", "tasks", "minimum"), MINIMA.values(), ids=MINIMA)
def test_minimum(spec, tasks, minimum):
    (found,), fields = collected(
        collect_volcano_job, {"schedulerName": "volcano", "queue": "q", "tasks": tasks, **spec}
    )

    assert found.workload.minimum == minimum
    assert not fields.findings.warnings


def test_a_role_for_each_task():
    (found,), _ = collected(collect_volcano_job, {"tasks": [task("ps", None, 0), task(None, 2)]})

    assert members(found) == [("ps", 0, 0), ("default1", 2, 4)]
    assert [role.name for role in found.workload.roles] == ["default1"]


UNKNOWN = {
    "near members": ({"networkTopology": {"highestTierAllowed": 1}}, {}, "networkTopology is not followed"),
    "members that should be near": ({"networkTopology": {"mode": "soft"}}, {}, ""),
    "partitions": ({}, {"partitionPolicy": {"totalPartitions": 2}}, "partitionPolicy of a task is not followed"),
    "one NUMA zone": ({}, {"topologyPolicy": "single-numa-node"}, "topologyPolicy single-numa-node"),
    "preferably one NUMA zone": ({}, {"topologyPolicy": "best-effort"}, ""),
}


@pytest.mark.parametrize(("spec", "more", "reason"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_understood(spec, more, reason):
    (found,), fields = collected(collect_volcano_job, {"tasks": [task("a", 2, **more)], **spec})
    (role,) = found.workload.roles

    assert reason in role.shape.unknown
    assert bool(role.shape.unknown) != bool(fields.findings.warnings)


@pytest.mark.parametrize("claim", [{"volumeClaimName": "c"}, {"volumeClaim": {}}])
def test_volumes_by_claim_are_told(claim):
    _, fields = collected(collect_volcano_job, {"tasks": [task("a", 1)], "volumes": [{"mountPath": "/x", **claim}]})

    assert "which nodes reach these volumes" in fields.findings.warnings[0]


WRONG = {
    "no tasks": ({}, ["spec.tasks"]),
    "a task that is a text": ({"tasks": ["x"]}, ["spec.tasks[0]", "spec.tasks[0].template"]),
    "a minimum": ({"tasks": [task("a", 1)], "minAvailable": "x"}, ["spec.minAvailable"]),
    "replicas": ({"tasks": [task("a", True)]}, ["spec.tasks[0].replicas"]),
}


@pytest.mark.parametrize(("spec", "where"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_has_its_place(spec, where):
    _, fields = collected(collect_volcano_job, spec)

    assert places(fields) == where
