"""Training jobs of Alnair: one card for each worker, placed together."""

from __future__ import annotations

import pytest

from bayplan.cluster.gang import Gang
from bayplan.manifests.reader import Document
from bayplan.manifests.workloads.alnair_jobs import (
    collect_elastic_horovod_job,
    collect_horovod_job,
    collect_unified_job,
)
from bayplan.manifests.workloads.dialects import read_workloads
from unit.manifests.opened import opened, places

IMAGE = {"image": "i"}


def elastic(**workers):
    launcher = {"image": "i", "pythonCommand": ["python"]}
    return opened({"metadata": {"name": "j"}, "spec": {"launcherSpec": launcher, "workersSpec": IMAGE | workers}})


def unified(kind="EPJob", **replicas):
    job = {"image": "i", "unifiedArgs": ["main.py"]}
    spec = {"jobSpec": job, "replicaSpec": replicas, "reschedulable": True}
    return opened({"metadata": {"name": "j"}, "jobType": kind, "spec": spec})


def shape(workload):
    """Members, how many must be placed, and the cards of each."""
    return workload.desired, workload.minimum, workload.shape.gpus.count


ELASTIC = {
    "bounds": ({"minReplicas": 2, "maxReplicas": 5}, (5, 2, 1)),
    "numbers in quotes": ({"minReplicas": "2", "maxReplicas": "5"}, (5, 2, 1)),
    "a target": ({"minReplicas": 2, "maxReplicas": 5, "targetReplicas": 3}, (3, 3, 1)),
    "a target of 0 is none": ({"minReplicas": 2, "maxReplicas": 5, "targetReplicas": 0}, (5, 2, 1)),
    "no bounds": ({}, (1, 1, 1)),
    "only a minimum": ({"minReplicas": 4}, (4, 4, 1)),
    "only a maximum": ({"maxReplicas": 4}, (4, 1, 1)),
    "a minimum of 0 is one worker": ({"minReplicas": 0, "maxReplicas": 4}, (4, 1, 1)),
}


@pytest.mark.parametrize(("workers", "wanted"), ELASTIC.values(), ids=ELASTIC)
def test_elastic(workers, wanted):
    fields = elastic(**workers)

    assert shape(collect_elastic_horovod_job(fields)) == wanted
    assert places(fields) == []


WRONG = {
    "the bounds cross": ({"minReplicas": 5, "maxReplicas": 2}, ["spec.workersSpec.minReplicas"]),
    "no numbers": (
        {"minReplicas": "some", "maxReplicas": -1},
        ["spec.workersSpec.minReplicas", "spec.workersSpec.maxReplicas"],
    ),
    "too many": ({"maxReplicas": 10**9}, ["spec.workersSpec.maxReplicas"]),
}


@pytest.mark.parametrize(("workers", "where"), WRONG.values(), ids=WRONG)
def test_wrong_bounds(workers, where):
    fields = elastic(**workers)
    collect_elastic_horovod_job(fields)

    assert places(fields) == where


def test_a_target_outside_of_the_bounds_is_told():
    fields = elastic(minReplicas=2, maxReplicas=5, targetReplicas=7)

    assert shape(collect_elastic_horovod_job(fields)) == (7, 7, 1)
    assert "7 is not within 2 and 5" in fields.findings.warnings[0]


def test_rigid():
    found = collect_horovod_job(elastic(replicas=3))

    assert shape(found) == (3, 3, 1)
    assert found.gang == Gang(3)


UNIFIED = {
    "several workers": (unified(minReplicas=2, maxReplicas=5), (5, 2, 1)),
    "a target by worker": (unified(minReplicas=2, maxReplicas=5, targetReplicas={"a": 2, "b": 1}), (3, 3, 1)),
    "a target without workers": (unified(minReplicas=2, maxReplicas=5, targetReplicas={}), (5, 2, 1)),
    "on one worker": (unified("BaseJob", minReplicas=2, maxReplicas=5), (1, 1, 2)),
    "on one worker with a target": (
        unified("BaseJob", minReplicas=2, maxReplicas=5, targetReplicas={"a": 4}),
        (1, 1, 4),
    ),
}


@pytest.mark.parametrize(("fields", "wanted"), UNIFIED.values(), ids=UNIFIED)
def test_unified(fields, wanted):
    assert shape(collect_unified_job(fields)) == wanted
    assert places(fields) == []


def test_what_is_not_done_yet_is_told():
    fields = unified("BaseJob", minReplicas=2, maxReplicas=5)
    collect_unified_job(fields)

    assert "placed with its minimum of 2 GPUs" in fields.findings.warnings[0]
    assert "spec.reschedulable" in [each.path for each in fields.findings.ignored]


@pytest.mark.parametrize(
    "collect", [collect_elastic_horovod_job, collect_horovod_job, collect_unified_job], ids=lambda each: each.__name__
)
def test_no_spec(collect):
    fields = opened({"metadata": {"name": "j"}})
    collect(fields)

    assert places(fields)[0] == "spec"


def test_an_unknown_type_of_job():
    fields = unified("Whatever")
    collect_unified_job(fields)

    assert places(fields) == ["jobType"]


def test_they_are_workloads():
    version = "ai.centauruscloud.io/v1alpha1"
    documents = [
        {"apiVersion": version, "kind": kind, **fields.data}
        for kind, fields in (("ElasticHorovodJob", elastic()), ("HorovodJob", elastic()), ("UnifiedJob", unified()))
    ]

    assert len(read_workloads(Document(each, "d") for each in documents)) == 3
