"""What a controller wants."""

from __future__ import annotations

import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import GpuRequest, Preemption, Role, Shape, WorkloadId
from bayplan.manifests.workloads.controlled_pods import ControlledPods, Members, unused
from bayplan.manifests.workloads.pod_template import Template

ONE, TWO = Shape(gpus=GpuRequest(1)), Shape(gpus=GpuRequest(2))
NEVER, LOWER = Preemption.NEVER, Preemption.LOWER_PRIORITY


def sort(role, replicas, shape=ONE, priority=0, preemption=NEVER, group=None, *, gated=False):
    return Members(role, replicas, Template(shape, priority, preemption, group, gated))


def controlled(*members, gang=None):
    return ControlledPods(WorkloadId("w", "ns", "u"), members, gang)


def test_a_gang_has_a_role_for_each_sort():
    found = controlled(sort("a", 1, priority=3), sort("b", 2, TWO, 9, LOWER), sort("c", 0), gang=Gang(2)).workload

    assert found.id == WorkloadId("w", "ns", "u", 9)
    assert found.roles == (Role("a", 1, ONE, 3, NEVER), Role("b", 2, TWO, 9, LOWER))
    assert (found.gang, found.preemption) == (Gang(2), LOWER)
    assert found.desired == 3


def test_members_that_are_held_back_want_no_place():
    assert controlled(sort("a", 1), sort("b", 2, gated=True), gang=Gang()).workload.desired == 1
    assert controlled(sort("", 2, gated=True)).workload.desired == 0


def test_nobody_at_all():
    assert controlled(gang=Gang()).workload.desired == 0


PARTS = {
    "none in a group": ((sort("a", 1), sort("b", 2)), ["a", "b"], []),
    "some": ((sort("a", 1), sort("b", 2, group="g")), ["a"], [("w-b", 2)]),
    "all": ((sort("", 3, group="g"),), None, [("w", 3)]),
}


@pytest.mark.parametrize(("members", "own", "grouped"), PARTS.values(), ids=PARTS)
def test_members_of_groups(members, own, grouped):
    found = controlled(*members, gang=Gang())

    assert (found.alone and [each.role for each in found.alone.members]) == own
    assert [(each.id.name, each.replicas) for each in found.grouped] == grouped
    assert not any(each.is_pod for each in found.grouped)


@pytest.mark.parametrize(("taken", "name"), [((), "a"), (("a",), "a-2"), (("a", "a-2"), "a-3"), (("b",), "a")])
def test_names_that_nothing_else_has(taken, name):
    assert unused("a", taken) == name
