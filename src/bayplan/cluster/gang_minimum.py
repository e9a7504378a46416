"""Gangs in a ledger: which members a change binds, and whether a gang would have fewer than its minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.capacity import Shortage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.entries import Entries
    from bayplan.cluster.identity import GangKey, ReplicaKey

    Members = Mapping[GangKey, set[ReplicaKey]]


def members_of(bookings: Iterable[Booking]) -> dict[GangKey, set[ReplicaKey]]:
    """The replicas of each gang among these bookings."""
    members: dict[GangKey, set[ReplicaKey]] = {}
    for booking in bookings:
        if (gang := booking.gang_key) is not None:
            members.setdefault(gang, set()).add(booking.owner)
    return members


def minimums_of(
    members: Members, entries: Entries, known: Mapping[GangKey, int], given: Mapping[GangKey, int]
) -> dict[GangKey, int]:
    """The minimum of each gang that these members belong to.

    A gang that is there keeps the minimum that it began with, if that is `known`; a new one has the minimum that is
    `given`, else all of these members.
    """
    minimums = {}
    for gang, owners in members.items():
        if not entries.of_gang(gang):
            minimums[gang] = given.get(gang, len(owners))
        elif gang in known:
            minimums[gang] = known[gang]
    return minimums


def short_gangs(members: Members, entries: Entries, minimums: Mapping[GangKey, int]) -> list[Shortage]:
    """The gangs that would have too few members, counting these and the members that are booked."""
    short = []
    for gang, least in minimums.items():
        count = len(members[gang].union(entry.owner for entry in entries.of_gang(gang)))
        if count < least:
            short.append(Shortage("gang-short", f"gang {gang}", least, count, "members", amount=False))
    return short
