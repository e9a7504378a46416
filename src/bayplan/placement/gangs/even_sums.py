"""Members that are spread evenly over domains: how many each domain takes, and which of them.

Each further member goes to a domain with the fewest members. So there is a level to which all domains that had fewer
are filled, and some of the domains at that level hold one member more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bayplan.placement.gangs.member_sums import MOST_SUMS, Caps, Sum, WorkerOffer, by_total, cheapest, every, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Domain(NamedTuple):
    """One domain that counts: how many members are there already, and what its workers could hold."""

    there: int
    offers: Sequence[WorkerOffer]


def most_even(start: Sum, domains: Sequence[Domain], desired: int, caps: Caps) -> tuple[Sum, bool]:
    """The sum of most members, at most `desired`, that an even spread reaches, and whether all were looked at."""
    nothing = Sum((0,) * len(start.members))
    whole, rooms = True, []
    for domain in domains:
        found, complete = every(nothing, domain.offers, caps)
        rooms.append(by_total(found))
        whole &= complete
    best = start
    for numbers in _levels([domain.there for domain in domains], desired):
        sums, complete = _filled(start, rooms, numbers, desired, caps)
        whole &= complete
        if not sums:  # where a level cannot be reached, no higher one can
            break
        best = max([best, *sums], key=lambda each: (each.total, each.members, -each.usd_per_hour))
    return best, whole


def _levels(there: Sequence[int], desired: int) -> Iterator[list[tuple[int, ...]]]:
    """Level by level, how many members each domain may take: what fills it to the level, or one more."""
    lowest = min(there, default=0)
    for level in range(lowest, lowest + desired + 1):
        yield [(level - had, level + 1 - had) if had <= level else (0,) for had in there]


def _filled(
    start: Sum, rooms: Sequence[Mapping[int, list[Sum]]], numbers: Sequence[tuple[int, ...]], desired: int, caps: Caps
) -> tuple[list[Sum], bool]:
    """The sums that take one of its numbers from each domain; none where a domain cannot give even the smaller one."""
    sums, whole = [start], True
    for room, taken in zip(rooms, numbers, strict=True):
        here = [one for number in taken for one in room.get(number, ())]
        both = [joined(one, other) for one in sums for other in here]
        sums = cheapest(one for one in both if one.total <= desired and caps.allow(one))
        if len(sums) > MOST_SUMS:
            sums, whole = sums[:MOST_SUMS], False
    return sums, whole
