"""Replica numbers for bookings without one; replicas of one workload get different numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.identity import WorkloadKey


class ReplicaNumbers:
    """Counts up for each workload and skips numbers that bookings have already."""

    def __init__(self, bookings: Iterable[Booking] = ()) -> None:
        self._next: dict[WorkloadKey, int] = {}
        self._taken = {(booking.key, booking.replica) for booking in bookings}

    def take(self, workload: WorkloadKey) -> int:
        """The lowest number that no replica of this workload has."""
        number = self._next.get(workload, 0)
        while (workload, number) in self._taken:
            number += 1
        self._next[workload] = number + 1
        return number
