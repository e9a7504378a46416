"""Serving bookings of a Cluster document."""

import pytest

from bayplan.cluster.serving_booking import LoadState, ServingBooking
from bayplan.manifests.native.serving_booking import is_serving, read_serving_booking
from unit.manifests.opened import opened, places

SHORT = {"workload": "m", "server": "a", "serverReplica": 1}


def test_defaults():
    assert read_serving_booking(opened(SHORT)) == ServingBooking("m", "a", 1, 1, 0, LoadState.AVAILABLE, 1, False)


def test_a_booking_with_a_server_is_one():
    assert is_serving(opened(SHORT))
    assert not is_serving(opened({"workload": "m", "worker": "a"}))


WRONG = {
    "no replica": ({"workload": "m", "server": "a"}, ["serverReplica"]),
    "a state that does not exist": (SHORT | {"state": "asleep"}, ["state"]),
    "negative memory": (SHORT | {"memory": "-1Mi"}, ["memory"]),
    "no instance": (SHORT | {"instances": 0}, ["instances"]),
    "version zero": (SHORT | {"version": 0}, ["version"]),
}


@pytest.mark.parametrize(("given", "where"), WRONG.values(), ids=WRONG)
def test_wrong_bookings(given, where):
    fields = opened(given)

    assert (read_serving_booking(fields), places(fields)) == (None, where)
