"""Bookings by who holds them."""

from bayplan.cluster.identity import WorkloadKey
from bayplan.placement.decision.booking_index import BookingIndex
from fleets import booking, whole

A = WorkloadKey("default", "a")
A0, A1, B = booking("a", whole(0)), booking("a", whole(1), replica=1), booking("b", whole(2), gang="g")


def test_bookings_of_a_workload_stand_in_their_order():
    index = BookingIndex([A0, B])
    index.add([A1])

    assert list(index.of(A)) == [A0, A1]
    assert list(index.of(WorkloadKey("default", "nobody"))) == []


def test_workloads_and_gangs_are_found_by_name():
    index = BookingIndex([A0, B])

    assert index.named("default", ["g"]) == [B]
    assert index.named("default", ["a", "nobody"]) == [A0]


def test_without_some_bookings_the_first_index_stays_as_it_was():
    index = BookingIndex([A0, A1, B])
    left = index.without([A0, B])

    assert (list(left.of(A)), left.named("default", ["b", "g"])) == ([A1], [])
    assert (list(index.of(A)), index.named("default", ["g"])) == ([A0, A1], [B])


def test_only_the_very_booking_goes():
    twin = booking("a", whole(0))
    left = BookingIndex([A0, twin]).without([A0]).of(A)

    assert [each is twin for each in left] == [True]


def test_namesakes_in_another_namespace_are_found_there_only():
    other = booking("a", whole(3), gang="g", namespace="x")
    index = BookingIndex([A0, B, other])

    assert (list(index.of(A)), list(index.of(WorkloadKey("x", "a")))) == ([A0], [other])
    assert (index.named("default", ["g"]), index.named("x", ["g"])) == ([B], [other])
    assert list(index.without([other]).of(A)) == [A0]


def test_what_is_added_to_a_relieved_index_is_not_in_the_first():
    index = BookingIndex([A0])
    index.without([]).add([A1])

    assert list(index.of(A)) == [A0]
