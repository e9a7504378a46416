"""Workloads: how many members, of which shapes, and what is refused."""

from __future__ import annotations

import pytest

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.gang import Gang
from bayplan.cluster.selector import Selector
from bayplan.cluster.workload import (
    MOST_REPLICAS,
    CostLimit,
    DryRun,
    GpuRequest,
    Locality,
    Preemption,
    Role,
    Shape,
    Workload,
    WorkloadId,
)
from bayplan.framework.errors import InputError

ID = WorkloadId("w")
LEADER, FOLLOWERS = Role("leader", 1, Shape(cpu_milli=1)), Role("follower", 3, Shape(cpu_milli=2))

MEMBERS = {
    "one by default": (Workload(ID), 1, 1),
    "independent replicas": (Workload(ID, replicas=4), 4, 1),
    "none wanted": (Workload(ID, replicas=0), 0, 1),
    "a gang of all": (Workload(ID, replicas=4, gang=Gang()), 4, 4),
    "a gang of some": (Workload(ID, replicas=4, gang=Gang(minimum=2)), 4, 2),
    "a gang that can never be": (Workload(ID, replicas=4, gang=Gang(minimum=9)), 4, 9),
    "roles": (Workload(ID, roles=(LEADER, FOLLOWERS)), 4, 1),
    "roles count, replicas do not": (Workload(ID, replicas=9, roles=(LEADER, FOLLOWERS)), 4, 1),
    "the minimum counts all roles": (Workload(ID, roles=(LEADER, FOLLOWERS), gang=Gang(minimum=3)), 4, 3),
    "a gang of all roles": (Workload(ID, roles=(LEADER, FOLLOWERS), gang=Gang()), 4, 4),
}


@pytest.mark.parametrize(("workload", "desired", "minimum"), MEMBERS.values(), ids=MEMBERS)
def test_desired_and_minimum(workload, desired, minimum):
    assert (workload.desired, workload.minimum) == (desired, minimum)


def test_shapes_in_the_order_of_roles():
    assert Workload(ID, roles=(LEADER, FOLLOWERS)).shapes == (
        ("leader", 1, LEADER.shape),
        ("follower", 3, FOLLOWERS.shape),
    )


def test_without_roles_there_is_one_shape_of_no_name():
    shape = Shape(ram_mib=4)

    assert Workload(ID, shape, replicas=2).shapes == ((None, 2, shape),)


def test_what_identifies_a_workload_is_no_part_of_its_shape():
    shapes = [Workload(WorkloadId(name, priority=priority)).shape for name, priority in (("a", 1), ("b", 2))]

    assert shapes[0] == shapes[1]
    assert hash(shapes[0]) == hash(shapes[1])


DEFAULTS = {
    "strategy": ("strategy", "pack"),
    "no selector": ("selector", Selector()),
    "one worker": ("distributed", False),
    "GPUs alone": ("cpu_offload", False),
    "no overcommit": ("allow_overcommit", False),
    "CPU is not asked for": ("cpu_milli", None),
    "any price": ("cost", CostLimit(None, None)),
}


@pytest.mark.parametrize(("field", "value"), DEFAULTS.values(), ids=DEFAULTS)
def test_defaults_of_the_contract(field, value):
    assert getattr(Shape(), field) == value


def test_preemption_is_never_unless_said():
    assert Workload(ID).preemption is Preemption.NEVER
    assert Role("r").preemption is None


WHOLE = {
    "only a count": (GpuRequest(count=2), True),
    "nothing at all": (GpuRequest(), True),
    "a least size of the card": (GpuRequest(card_memory_mib=81920), True),
    "memory": (GpuRequest(memory_mib=1), False),
    "compute": (GpuRequest(compute_milli=1), False),
    "MIG": (GpuRequest(mig="1g.5gb"), False),
}


@pytest.mark.parametrize(("request_", "whole"), WHOLE.values(), ids=WHOLE)
def test_whole_cards(request_, whole):
    assert request_.whole is whole


def test_the_words_of_the_contract():
    assert [str(word) for word in Locality] == ["same-node", "same-socket", "nvlink", "any"]
    assert [str(word) for word in Preemption] == ["never", "lower-priority"]


REFUSED = {
    "count": (lambda: GpuRequest(count=-1), "count"),
    "memory": (lambda: GpuRequest(memory_mib=-1), "memory"),
    "card memory": (lambda: GpuRequest(card_memory_mib=-1), "cardMemory"),
    "compute": (lambda: GpuRequest(compute_milli=-1), "computePercent"),
    "less than no resource": (lambda: Shape(resources=FrozenMap({"a/b": -1})), "resources.a/b"),
    "bandwidth": (lambda: GpuRequest(min_bandwidth_gb_per_s=-1.0), "minBandwidth"),
    "price": (lambda: CostLimit(max_usd_per_hour=-1.0), "maxUsdPerHour"),
    "less than no share": (lambda: CostLimit(max_spot_percent=-1.0), "maxSpotPercent"),
    "more than all": (lambda: CostLimit(max_spot_percent=100.5), "maxSpotPercent"),
    "dry-run percent": (lambda: DryRun("A100", gpu_percent=-1.0), "gpuPercent"),
    "dry-run memory": (lambda: DryRun("A100", memory_mib=-1), "memory"),
    "cpu": (lambda: Shape(cpu_milli=-1), "cpu"),
    "ram": (lambda: Shape(ram_mib=-1), "ram"),
    "carbon": (lambda: Shape(max_carbon_g_per_kwh=-1.0), "maxCarbonGramsPerKwh"),
    "sample": (lambda: Shape(max_workers_to_score=-1), "maxWorkersToScore"),
    "replicas of a role": (lambda: Role("r", -1), "replicas"),
    "replicas": (lambda: Workload(ID, replicas=-1), "replicas"),
    "too many replicas of a role": (lambda: Role("r", MOST_REPLICAS + 1), "replicas"),
    "too many replicas": (lambda: Workload(ID, replicas=MOST_REPLICAS + 1), "replicas"),
    "two roles of one name": (lambda: Workload(ID, roles=(LEADER, FOLLOWERS, LEADER)), "roles[2].name"),
}


@pytest.mark.parametrize(("make", "place"), REFUSED.values(), ids=REFUSED)
def test_a_workload_that_cannot_be_is_refused(make, place):
    with pytest.raises(InputError) as caught:
        make()

    assert caught.value.place == place
    assert caught.value.next


def test_the_whole_compute_of_a_card_may_be_asked_for():
    assert GpuRequest(compute_milli=1000).compute_milli == 1000


def test_a_workload_is_called_as_its_owner_calls_it():
    assert Workload(WorkloadId("w", namespace="team")).name == "w"
