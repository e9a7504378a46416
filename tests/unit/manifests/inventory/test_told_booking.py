import pytest

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.frozen_map import FrozenMap
from bayplan.cluster.mig import MigInstance
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.inventory.told_booking import booking_text, told_booking
from bayplan.manifests.marks import BOOKING
from bayplan.manifests.reader import Document

BOOKINGS = {
    "whole cards": Booking("chat", 3, "w", 4_500, 2_048, (CardBooking(0), CardBooking(1)), 7, "chat", "team"),
    "shares": Booking("chat", 0, "w", cards=(CardBooking(0, memory_mib=100, compute_milli=125, headroom_mib=5),)),
    "slices": Booking("chat", 0, "w", cards=(CardBooking(2, mig=MigInstance("1g.5gb", 3)),)),
    "a role and resources": Booking("chat", 1, "w", resources=FrozenMap({"rdma/hca": 2}), role="leader"),
    "places": Booking("chat", 0, "w", cards=(CardBooking(0, memory_mib=10, compute_milli=250, places=1),)),
}


@pytest.mark.parametrize("booking", BOOKINGS.values(), ids=BOOKINGS)
def test_a_booking_is_read_as_it_was_written(booking):
    assert told_booking(booking_text(booking), booking.worker, booking.namespace) == booking


@pytest.mark.parametrize("text", ["", "[]", "7", "{", '{"replica": 1}', '{"workload": "a", "gpus": 3}'])
def test_what_is_no_booking_is_refused(text):
    with pytest.raises(InputError):
        told_booking(text, "w", "default")


def pod(name, booking=None, cards=0, **spec):
    annotations = {BOOKING: booking_text(booking)} if booking else {}
    limits = {"nvidia.com/gpu": cards} if cards else {}
    containers = [{"name": "c", "resources": {"limits": limits}}]
    metadata = {"name": name, "annotations": annotations}
    return {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": "w", "containers": containers, **spec}}


def bookings(*pods):
    cluster = {"workers": [{"name": "w", "gpus": {"count": 4, "model": "A100", "memory": "80Gi"}}]}
    return read_inventory([Document(each, "here") for each in (cluster, *pods)]).pods


def test_pods_without_the_annotation_get_the_cards_that_are_left():
    held = dict(bookings(pod("first", cards=2), pod("ours", Booking("chat", 9, "w", cards=(CardBooking(0),)))))

    assert held["default", "ours"] == Booking("chat", 9, "w", cards=(CardBooking(0),))
    assert [part.index for part in held["default", "first"].cards] == [1, 2]


def test_the_priority_of_the_pod_counts():
    ((_, booking),) = bookings(pod("ours", Booking("chat", 0, "w", priority=3), priority=9))

    assert booking.priority == 9


def test_cards_that_the_node_does_not_have_are_left_out():
    ((_, booking),) = bookings(pod("ours", Booking("chat", 0, "w", cards=(CardBooking(3), CardBooking(8)))))

    assert [part.index for part in booking.cards] == [3]
