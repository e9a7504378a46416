"""Clusters, services and jobs of Ray."""

from __future__ import annotations

import pytest

from bayplan.manifests.workloads.ray import collect_ray_cluster, collect_ray_job, collect_ray_service
from unit.manifests.opened import places
from unit.manifests.workloads.templates import collected, members, template


def workers(name="gpu", cards=4, **spec):
    return {"groupName": name, "rayStartParams": {}, "template": template(cards), "maxReplicas": 10, **spec}


def cluster(*groups, head=0, **spec):
    heads = {"rayStartParams": {}, "template": template(head)}
    return {"rayVersion": "2.46.0", "headGroupSpec": heads, "workerGroupSpecs": list(groups), **spec}


KINDS = {
    "RayCluster": (collect_ray_cluster, lambda inner: inner),
    "RayService": (collect_ray_service, lambda inner: {"serveConfigV2": "a: []", "rayClusterConfig": inner}),
    "RayJob": (collect_ray_job, lambda inner: {"entrypoint": "python x.py", "rayClusterSpec": inner}),
}


@pytest.mark.parametrize(("collect", "around"), KINDS.values(), ids=KINDS)
def test_a_head_and_its_workers(collect, around):
    (found,), fields = collected(collect, around(cluster(workers(replicas=2), workers("cpu", 0, replicas=1))))

    assert members(found) == [("head", 1, 0), ("gpu", 2, 4), ("cpu", 1, 0)]
    assert (found.workload.desired, found.workload.minimum) == (4, 4)
    assert not fields.findings.warnings


GROUPS = {
    "replicas": ({"replicas": 3}, 3),
    "hosts": ({"replicas": 2, "numOfHosts": 4}, 8),
    "absent": ({}, 0),
    "the least": ({"minReplicas": 2}, 2),
    "never below the least": ({"replicas": 1, "minReplicas": 2}, 2),
    "suspended": ({"replicas": 3, "suspend": True}, 0),
}


@pytest.mark.parametrize(("spec", "pods"), GROUPS.values(), ids=GROUPS)
def test_workers_of_a_group(spec, pods):
    (found,), _ = collected(collect_ray_cluster, cluster(workers(**spec)))

    assert members(found)[1] == ("gpu", pods, 4)


def test_the_least_of_a_cluster_that_scales():
    groups = workers(replicas=4, minReplicas=1, numOfHosts=2), workers("b", replicas=1)
    (found,), _ = collected(collect_ray_cluster, cluster(*groups, enableInTreeAutoscaling=True))

    assert (found.workload.desired, found.workload.minimum) == (10, 3)


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob"])
def test_suspended(kind):
    collect, around = KINDS[kind]
    (found,), _ = collected(collect, {**around(cluster(workers(replicas=2))), "suspend": True})

    assert found.workload.desired == 0


def test_a_job_on_a_cluster_that_is_there():
    (found,), fields = collected(collect_ray_job, {"clusterSelector": {"ray.io/cluster": "c"}})

    assert found.workload.desired == 0
    assert "existing RayCluster" in fields.findings.warnings[0]
    assert not fields.findings.errors


def test_two_groups_of_one_name():
    (found,), _ = collected(collect_ray_cluster, cluster(workers("head", replicas=1), workers("head", replicas=1)))

    assert [role.name for role in found.workload.roles] == ["head", "head-2", "head-3"]


def test_flags_of_the_head_are_compared_with_the_whole_cluster():
    spec = cluster(workers(replicas=2))
    spec["headGroupSpec"]["template"] = template(0, args=["--tensor-parallel-size=8"])
    _, fields = collected(collect_ray_cluster, spec)
    spec["workerGroupSpecs"][0]["replicas"] = 1
    _, short = collected(collect_ray_cluster, spec)

    assert not fields.findings.warnings
    assert (
        "8 cards (tensor parallel 8), but the Pods of the cluster request together 4 cards"
        in short.findings.warnings[0]
    )


WRONG = {
    "no head": (collect_ray_cluster, {"workerGroupSpecs": []}, ["spec.headGroupSpec"]),
    "no cluster": (collect_ray_service, {}, ["spec.rayClusterConfig"]),
    "no cluster for a job": (collect_ray_job, {}, ["spec.rayClusterSpec"]),
    "groups as a mapping": (collect_ray_cluster, cluster() | {"workerGroupSpecs": {}}, ["spec.workerGroupSpecs"]),
    "no name": (collect_ray_cluster, cluster(workers(None)), ["spec.workerGroupSpecs[0].groupName"]),
    "no hosts": (collect_ray_cluster, cluster(workers(numOfHosts=0)), ["spec.workerGroupSpecs[0].numOfHosts"]),
}


@pytest.mark.parametrize(("collect", "spec", "where"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_has_its_place(collect, spec, where):
    _, fields = collected(collect, spec)

    assert places(fields) == where
