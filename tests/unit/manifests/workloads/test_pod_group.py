"""Pods that are placed together."""

from __future__ import annotations

import pytest

from bayplan.cluster.gang import Gang, MinResources
from bayplan.cluster.workload import GpuRequest, Preemption, Role, Shape, WorkloadId
from bayplan.manifests.workloads.pod import PodRead
from bayplan.manifests.workloads.pod_group import PodGroup, collect_pod_group, joined
from unit.manifests.opened import opened, places

ONE, TWO = Shape(gpus=GpuRequest(1)), Shape(gpus=GpuRequest(2))
GROUP = PodGroup(WorkloadId("g", "ns", "u", created_s=5.0), 2)


def pod(name, shape=ONE, priority=0, preemption=Preemption.NEVER, *, gated=False):
    return PodRead(WorkloadId(name, "ns", priority=priority), shape, "g", gated, preemption)


def test_a_group():
    fields = opened({"metadata": {"name": "g"}, "spec": {"minMember": "3", "scheduleTimeoutSeconds": 10}})

    assert collect_pod_group(fields) == PodGroup(WorkloadId("g"), 3)
    assert not fields.findings.warnings


def test_a_group_says_at_least_one():
    fields = opened({"metadata": {"name": "g"}, "spec": {"minMember": 0}})
    collect_pod_group(fields)

    assert places(fields) == ["spec.minMember"]


def test_resources_of_a_group():
    fields = opened({"metadata": {"name": "g"}, "spec": {"minResources": {"cpu": 8}}})
    group = collect_pod_group(fields)

    assert group == PodGroup(WorkloadId("g"), 1, MinResources(8000))
    assert joined("g", [pod("a")], group).gang == Gang(1, min_resources=MinResources(8000))


def test_each_pod_is_a_role():
    found = joined("g", [pod("a", priority=1), pod("b", TWO, 9, Preemption.LOWER_PRIORITY)], GROUP)

    assert found.id == WorkloadId("g", "ns", "u", 9, 5.0)
    assert found.roles == (
        Role("a", 1, ONE, 1, Preemption.NEVER, is_pod=True),
        Role("b", 1, TWO, 9, Preemption.LOWER_PRIORITY, is_pod=True),
    )
    assert found.gang == Gang(2)
    assert found.preemption is Preemption.LOWER_PRIORITY


WANTED = {
    "all": ([pod("a"), pod("b")], GROUP, 2, 2),
    "one is held back": ([pod("a"), pod("b", gated=True)], GROUP, 1, 2),
    "all are": ([pod("a", gated=True)], GROUP, 0, 2),
    "nobody declared the group": ([pod("a"), pod("b")], None, 2, 3),
}


@pytest.mark.parametrize(("pods", "group", "desired", "minimum"), WANTED.values(), ids=WANTED)
def test_desired_and_minimum(pods, group, desired, minimum):
    found = joined("g", pods, group)

    assert (found.desired, found.minimum) == (desired, minimum)


UNKNOWN = {
    "near members": ({"networkTopology": {"highestTierAllowed": 1}}, "networkTopology is not followed"),
    "near members of KAI": ({"topologyConstraint": {"requiredTopologyLevel": "rack"}}, "requiredTopologyLevel"),
    "members of each task": ({"minTaskMember": {"a": 1}}, "minTaskMember of a PodGroup is not followed"),
    "groups in it": ({"subGroups": [{"name": "x"}]}, "subGroups of a PodGroup is not followed"),
    "members that should be near": ({"networkTopology": {"mode": "soft"}}, ""),
    "members that should be near, of KAI": ({"topologyConstraint": {"preferredTopologyLevel": "rack"}}, ""),
}


@pytest.mark.parametrize(("spec", "reason"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_understood_is_refused_and_a_preference_is_told(spec, reason):
    fields = opened({"metadata": {"name": "g"}, "spec": {"minMember": 1, **spec}})
    (role,) = joined("g", [pod("a")], collect_pod_group(fields)).roles

    assert reason in role.shape.unknown
    assert bool(role.shape.unknown) != bool(fields.findings.warnings)
