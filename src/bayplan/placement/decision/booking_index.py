"""Bookings by the workload and by the gang that holds them, so that a plan looks only at those it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from bayplan.cluster.identity import GangKey, WorkloadKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cluster.booking import Booking

K = TypeVar("K", WorkloadKey, GangKey)


class BookingIndex:
    """`add` changes it; `without` makes another one, because planners that differ in a few bookings share one.

    Groups are shared by several of these, so none is ever changed: `add` puts a longer one in its place.
    """

    __slots__ = ("_gangs", "_workloads")

    def __init__(self, bookings: Iterable[Booking] = ()) -> None:
        self._workloads: dict[WorkloadKey, list[Booking]] = {}
        self._gangs: dict[GangKey, list[Booking]] = {}
        self.add(bookings)

    def add(self, bookings: Iterable[Booking]) -> None:
        """Further bookings, behind those that are there."""
        workloads: dict[WorkloadKey, list[Booking]] = {}
        gangs: dict[GangKey, list[Booking]] = {}
        for booking in bookings:
            workloads.setdefault(booking.key, []).append(booking)
            if (gang := booking.gang_key) is not None:
                gangs.setdefault(gang, []).append(booking)
        self._workloads |= {key: [*self._workloads.get(key, ()), *more] for key, more in workloads.items()}
        self._gangs |= {key: [*self._gangs.get(key, ()), *more] for key, more in gangs.items()}

    def of(self, workload: WorkloadKey) -> Sequence[Booking]:
        """What a workload holds, in the order in which it was booked."""
        return self._workloads.get(workload, ())

    def named(self, namespace: str, names: Iterable[str]) -> list[Booking]:
        """What workloads or gangs of these names hold in a namespace; a booking that both name stands in it twice."""
        found: list[Booking] = []
        for name in names:
            found += self._workloads.get(WorkloadKey(namespace, name), ())
            found += self._gangs.get(GangKey(namespace, name), ())
        return found

    def without(self, gone: Iterable[Booking]) -> BookingIndex:
        """The same without these very bookings: groups that lose none are shared."""
        gone = tuple(gone)
        left = {id(booking) for booking in gone}
        other = BookingIndex()
        other._workloads = _thinned(self._workloads, {booking.key for booking in gone}, left)
        other._gangs = _thinned(self._gangs, {gang for booking in gone if (gang := booking.gang_key)}, left)
        return other


def _thinned(groups: dict[K, list[Booking]], keys: Iterable[K], left: set[int]) -> dict[K, list[Booking]]:
    return groups | {
        key: [booking for booking in groups[key] if id(booking) not in left] for key in keys if key in groups
    }
