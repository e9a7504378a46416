"""How many members of each role a workload has: bookings may say their role."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.placement.asks.sized_workload import SizedRole


def members_there(members: Sequence[SizedRole], held: Iterable[Booking]) -> list[int]:
    """How many replicas of each member stand already, at most as many as are wanted.

    A booking without a role, or with one that the workload does not have, counts for the first members that lack some.
    """
    numbers, loose = _by_member(members, held)
    counts = [min(len(found), role.replicas) for found, role in zip(numbers, members, strict=True)]
    left = len(loose)
    for place, role in enumerate(members):
        more = min(left, role.replicas - counts[place])
        counts[place] += more
        left -= more
    return counts


def surplus(members: Sequence[SizedRole], held: Sequence[Booking]) -> Iterator[tuple[list[Booking], int]]:
    """Bookings of which some replicas are too many, and how many; called only where no replica is missing."""
    numbers, loose = _by_member(members, held)
    room = 0
    for found, role in zip(numbers, members, strict=True):
        if len(found) > role.replicas:
            yield [booking for booking in held if booking.replica in found], len(found) - role.replicas
        room += max(0, role.replicas - len(found))
    if len(loose) > room:
        yield [booking for booking in held if booking.replica in loose], len(loose) - room


def _by_member(members: Sequence[SizedRole], held: Iterable[Booking]) -> tuple[list[set[int]], set[int]]:
    """Numbers of replicas by member, and of those whose role is not known. Kubeflow writes roles in small letters."""
    places = {role.name.casefold(): place for place, role in enumerate(members) if role.name}
    numbers: list[set[int]] = [set() for _ in members]
    loose: set[int] = set()
    for booking in held:
        place = places.get(booking.role.casefold()) if booking.role else None
        (loose if place is None else numbers[place]).add(booking.replica)
    return numbers, loose
