"""Groups of a leader and its workers."""

from __future__ import annotations

import pytest

from bayplan.cluster.gang import Gang
from bayplan.manifests.workloads.leader_worker_set import MOST_GROUPS, collect_leader_worker_set
from unit.manifests.opened import places
from unit.manifests.workloads.templates import collected, members, template


def group(**spec):
    return {"size": 3, "workerTemplate": template(8), "restartPolicy": "None", **spec}


def read(replicas, group, **metadata):
    return collected(collect_leader_worker_set, {"replicas": replicas, "leaderWorkerTemplate": group}, **metadata)


def test_each_group_is_a_gang():
    found, fields = read(2, group(leaderTemplate=template(0)), namespace="n")

    assert [(each.id.name, each.id.namespace) for each in found] == [("w-0", "n"), ("w-1", "n")]
    assert members(found[0]) == [("leader", 1, 0), ("worker", 2, 8)]
    assert found[0].workload.gang == Gang()
    assert [role.name for role in found[0].workload.roles] == ["leader", "worker"]
    assert not fields.findings.warnings


def test_a_leader_is_like_the_workers():
    (found,), _ = read(1, group())

    assert members(found) == [("leader", 1, 8), ("worker", 2, 8)]


SIZES = {"absent": ({}, 1), "one": ({"size": 1}, 1), "four": ({"size": 4}, 4)}


@pytest.mark.parametrize(("size", "pods"), SIZES.values(), ids=SIZES)
def test_sizes(size, pods):
    (found,), _ = read(None, {"workerTemplate": template(), **size})

    assert found.workload.desired == pods


SHELL = "vllm serve m --tensor-parallel-size 8 --pipeline_parallel_size "
FLAGS = {
    "as many as the group has": ("3", ""),
    "more": (
        "4",
        "ask for 32 cards (tensor parallel 8, pipeline parallel 4), but the Pods of a group request together 24",
    ),
    "the size of the group": ("$(LWS_GROUP_SIZE)", ""),
    "twice the size": ("$LWS_GROUP_SIZE -dp 2", "ask for 48 cards"),
}


@pytest.mark.parametrize(("pipeline", "warning"), FLAGS.values(), ids=FLAGS)
def test_flags_are_compared_with_all_cards_of_a_group(pipeline, warning):
    _, fields = read(1, group(leaderTemplate=template(8, args=["sh", "-c", SHELL + pipeline])))

    assert len(fields.findings.warnings) == (1 if warning else 0)
    assert all(warning in each for each in fields.findings.warnings)


@pytest.mark.parametrize("key", ["exclusive-topology", "subgroup-exclusive-topology"])
def test_exclusive_domains_are_not_understood(key):
    found, _ = read(2, group(), annotations={f"leaderworkerset.sigs.k8s.io/{key}": "rack"})

    assert all(f"{key} is not followed" in each.workload.shape.unknown for each in found)
    assert all(role.shape.unknown for each in found for role in each.workload.roles)


WRONG = {
    "no template": (1, None, ["spec.leaderWorkerTemplate"]),
    "no worker": (1, {"size": 2}, ["spec.leaderWorkerTemplate.workerTemplate"]),
    "no size": (1, group(size=0), ["spec.leaderWorkerTemplate.size"]),
    "replicas": ("x", group(), ["spec.replicas"]),
    "too many groups": (MOST_GROUPS + 1, group(), ["spec.replicas"]),
    "too many Pods": (1, group(size=10**7), ["spec.leaderWorkerTemplate.size"]),
    "a leader that is a text": (1, group(leaderTemplate="x"), ["spec.leaderWorkerTemplate.leaderTemplate"]),
}


@pytest.mark.parametrize(("replicas", "group_", "where"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_has_its_place(replicas, group_, where):
    _, fields = read(replicas, group_)

    assert places(fields)[: len(where)] == where
