"""Serving bookings are written with all their fields; servers are in test_server.py."""

from bayplan.cluster.serving_booking import LoadState, ServingBooking
from bayplan.manifests.native.server_writer import write_serving_booking
from bayplan.manifests.native.serving_booking import read_serving_booking
from unit.manifests.opened import opened


def test_bookings():
    full = ServingBooking("m", "a", 2, 3, 100, LoadState.UNLOADING, 2, True, "n")
    short = ServingBooking("m", "a", 0)

    for each in (full, short):
        assert read_serving_booking(opened(write_serving_booking(each))) == each
    assert "namespace" not in write_serving_booking(short)
