"""A cluster names each worker and each budget once; its nouns never change."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from bayplan.cluster.booking import Booking, Budget, CardBooking
from bayplan.cluster.cluster import Cluster
from bayplan.cluster.gang import Gang
from bayplan.cluster.gpu import CardId, Gpu, GpuId
from bayplan.cluster.links import Link, LinkMatrix, LinkSpec
from bayplan.cluster.mig import MigInstance, MigState
from bayplan.cluster.model import Architecture, ModelPart, ModelSpec
from bayplan.cluster.numa import Numa, NumaZone
from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.cluster.taint import Taint, TaintEffect, Toleration
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.cluster.worker import Worker
from bayplan.cluster.workload import Backend, CostLimit, DryRun, GpuRequest, Role, Shape, Workload, WorkloadId
from bayplan.framework.errors import InputError

REFUSED = {
    "two workers of one name": (
        lambda: Cluster(workers=(Worker("a"), Worker("b"), Worker("a"))),
        "workers[2].name",
        "'a'",
    ),
    "two budgets of one workload": (
        lambda: Cluster(budgets=(Budget("w", 1), Budget("w", 2))),
        "budgets[1].workload",
        "'w'",
    ),
}


@pytest.mark.parametrize(("make", "place", "message"), REFUSED.values(), ids=REFUSED)
def test_a_cluster_that_contradicts_itself_is_refused(make, place, message):
    with pytest.raises(InputError) as caught:
        make()

    assert caught.value.place == place
    assert message in caught.value.message
    assert caught.value.next


def test_a_booking_may_outlive_its_worker():
    cluster = Cluster(workers=(Worker("a"),), bookings=(Booking("w", 0, "gone"), Booking("w", 0, "a")))

    assert [booking.worker for booking in cluster.bookings] == ["gone", "a"]


def test_an_empty_cluster_is_a_cluster():
    assert Cluster() == Cluster((), (), ())


NOUNS = [
    lambda: Architecture(heads=8),
    lambda: Backend("vllm"),
    lambda: Booking("w", 0, "a", cards=(CardBooking(0),)),
    lambda: Budget("w", 1),
    lambda: CardBooking(0),
    lambda: CardId("cuda", 0),
    lambda: Cluster((Worker("a"),)),
    lambda: CostLimit(1.0),
    lambda: DryRun("A100"),
    lambda: Gang(1),
    lambda: Gpu(0),
    lambda: GpuId("a", "cuda", 0),
    lambda: GpuRequest(1),
    lambda: GpuUtilization(0),
    lambda: Link("pcie"),
    lambda: LinkMatrix((CardId("cuda", 0),), ()),
    lambda: LinkSpec(0, 1, "pcie"),
    lambda: MigInstance("1g.5gb"),
    MigState,
    lambda: ModelPart(1),
    lambda: ModelSpec("m"),
    lambda: Numa(zones=(NumaZone(0),)),
    lambda: NumaZone(0),
    lambda: Requirement("a", Operator.EXISTS),
    lambda: Role("r"),
    lambda: Selector((Requirement("a", Operator.EXISTS),)),
    lambda: Shape(cpu_milli=1),
    lambda: Taint("a", TaintEffect.NO_EXECUTE),
    lambda: Toleration("a"),
    lambda: TopologyPath("a"),
    lambda: Utilization(1.0),
    lambda: Worker("a"),
    lambda: Workload(WorkloadId("w")),
    lambda: WorkloadId("w"),
]


@pytest.mark.parametrize("make", NOUNS, ids=[type(make()).__name__ for make in NOUNS])
def test_a_noun_is_a_value(make):
    noun, twin = make(), make()

    assert noun is not twin
    assert noun == twin
    assert hash(noun) == hash(twin)
    with pytest.raises(FrozenInstanceError):
        setattr(noun, fields(noun)[0].name, None)
