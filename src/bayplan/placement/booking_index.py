"""Bookings by the workload and by the gang that holds them, so that a plan looks only at those it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cluster.booking import Booking

    Groups = dict[str, list[Booking]]


class BookingIndex:
    """`add` changes it; `without` makes another one, because planners that differ in a few bookings share one.

    The one that `without` made is not to be added to while the first is in use: they share their groups.
    """

    __slots__ = ("_gangs", "_workloads")

    def __init__(self, bookings: Iterable[Booking] = ()) -> None:
        self._workloads: Groups = {}
        self._gangs: Groups = {}
        self.add(bookings)

    def add(self, bookings: Iterable[Booking]) -> None:
        """Further bookings, behind those that are there."""
        for booking in bookings:
            self._workloads.setdefault(booking.workload, []).append(booking)
            if booking.gang is not None:
                self._gangs.setdefault(booking.gang, []).append(booking)

    def of(self, workload: str) -> Sequence[Booking]:
        """What a workload holds, in the order in which it was booked."""
        return self._workloads.get(workload, ())

    def named(self, names: Iterable[str]) -> list[Booking]:
        """What workloads or gangs of these names hold; a booking that both name stands in it twice."""
        groups = [group.get(name, ()) for name in names for group in (self._workloads, self._gangs)]
        return [booking for group in groups for booking in group]

    def without(self, gone: Iterable[Booking]) -> BookingIndex:
        """The same without these very bookings: groups that lose none are shared."""
        gone = tuple(gone)
        left = {id(booking) for booking in gone}
        other = BookingIndex()
        other._workloads = _thinned(self._workloads, {booking.workload for booking in gone}, left)
        other._gangs = _thinned(self._gangs, {booking.gang for booking in gone if booking.gang is not None}, left)
        return other


def _thinned(groups: Groups, names: Iterable[str], left: set[int]) -> Groups:
    return groups | {
        name: [booking for booking in groups[name] if id(booking) not in left] for name in names if name in groups
    }
