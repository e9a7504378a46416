"""What a replica books, worker by worker."""

from bayplan.placement.asks.ask import CardShape
from bayplan.placement.asks.tier import Tier
from bayplan.placement.decision.placed import Placed, Replica, WorkerShare
from fleets import booking, whole
from unit.placement.builders import role

A, B = booking("m", whole(0), on="a"), booking("m", whole(1), on="b")
PLACED = Placed(Tier.MANY_WORKERS, CardShape(2), (WorkerShare(1, B, layers=3), WorkerShare(0, A, layers=5)))


def test_bookings_in_the_order_of_the_workers():
    assert PLACED.bookings == (B, A)


def test_two_replicas_of_one_place_are_not_the_same():
    """A search tells replicas apart by who they are; it never compares what they hold."""
    first, second = (Replica(0, role(), PLACED, 0.5, None) for _ in range(2))

    assert first != second
    assert len({first, second}) == 2
