"""Numbers of replicas that carry none."""

from bayplan.cluster.booking import Booking
from bayplan.cluster.identity import WorkloadKey
from bayplan.manifests.inventory.replica_numbers import ReplicaNumbers

CHAT = WorkloadKey("default", "chat")


def test_each_workload_is_counted_by_itself():
    numbers = ReplicaNumbers()

    assert [numbers.take(CHAT), numbers.take(CHAT), numbers.take(WorkloadKey("team-b", "chat"))] == [0, 1, 0]


def test_numbers_of_bookings_are_left_out():
    numbers = ReplicaNumbers([Booking("chat", 1, "w"), Booking("chat", 0, "w", namespace="team-b")])

    assert [numbers.take(CHAT), numbers.take(CHAT), numbers.take(WorkloadKey("team-b", "chat"))] == [0, 2, 1]
