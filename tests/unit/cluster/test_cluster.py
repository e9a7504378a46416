"""A cluster names each worker and each budget once."""

from __future__ import annotations

import pytest

from bayplan.cluster.booking import Booking, Budget
from bayplan.cluster.cluster import Cluster
from bayplan.cluster.worker import Worker
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
