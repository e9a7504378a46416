"""Numbers of members over several workers, with what they cost: added up worker by worker, the best ones kept."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from bayplan.placement.gangs.member_numbers import contains, largest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.placement.gangs.member_numbers import Numbers

MOST_SUMS = 2000
"""Sums that are kept at once: each worker is combined with all of them. Beyond that the answer is not proven."""


class Sum(NamedTuple):
    """Members of each role over some workers, what these cost, and how many each of them holds, by row.

    `on_spot` is how many members are on spot workers, counted where that is limited.
    """

    members: Numbers
    usd_per_hour: float = 0.0
    on_spot: int = 0
    of_workers: tuple[tuple[int, Numbers], ...] = ()

    @property
    def total(self) -> int:
        return sum(self.members)


class WorkerOffer(NamedTuple):
    """What one worker can hold: every number of members of each role, its price, and whether it counts as spot."""

    row: int
    holds: Sequence[Numbers]
    usd_per_hour: float = 0.0
    spot: bool = False


@dataclass(frozen=True, slots=True)
class Caps:
    """What no sum may exceed: members of each role, the budget, members on spot workers."""

    missing: Numbers
    usd_per_hour: float = inf  # inf: no limit
    on_spot: float = inf  # inf: no limit

    def allow(self, one: Sum) -> bool:
        return (
            one.usd_per_hour <= self.usd_per_hour
            and one.on_spot <= self.on_spot
            and contains(self.missing, one.members)
        )


def most(start: Sum, offers: Iterable[WorkerOffer], caps: Caps) -> tuple[Sum, bool]:
    """The sum over the workers that holds most, and whether all sums were looked at.

    Sums that are no better than another one are dropped: members on one worker take no room on the next.
    """
    sums, whole = [start], True
    for offer in offers:
        # Where spot members are limited, fewer here may leave more for others; else only maximal numbers count.
        held = offer.holds if offer.spot else largest(offer.holds)
        further = [_with_missing(each, offer, more, caps) for more in held for each in sums]
        sums = best([*sums, *(each for each in further if caps.allow(each))])
        if len(sums) > MOST_SUMS:
            sums, whole = sums[:MOST_SUMS], False
    # of equal totals, more members of the first roles
    return max(sums, key=lambda each: (each.total, each.members)), whole


def every(start: Sum, offers: Iterable[WorkerOffer], caps: Caps) -> tuple[list[Sum], bool]:
    """For each combination of numbers, the cheapest sums that hold exactly these members."""
    sums, whole = [start], True
    for offer in offers:
        further = [added(each, offer, more) for more in offer.holds if any(more) for each in sums]
        sums = cheapest([*sums, *(each for each in further if caps.allow(each))])
        if len(sums) > MOST_SUMS:
            sums, whole = sums[:MOST_SUMS], False
    return sums, whole


def _with_missing(one: Sum, offer: WorkerOffer, more: Numbers, caps: Caps) -> Sum:
    """With as many of these as are missing."""
    left = zip(more, caps.missing, one.members, strict=True)
    return added(one, offer, tuple(min(some, wanted - had) for some, wanted, had in left))


def added(one: Sum, offer: WorkerOffer, more: Numbers) -> Sum:
    """With these members on the worker."""
    if not any(more):
        return one
    members = tuple(had + some for had, some in zip(one.members, more, strict=True))
    on_spot = one.on_spot + offer.spot * sum(more)
    return Sum(members, one.usd_per_hour + offer.usd_per_hour, on_spot, (*one.of_workers, (offer.row, more)))


def joined(one: Sum, other: Sum) -> Sum:
    """Both, on different workers."""
    members = tuple(here + there for here, there in zip(one.members, other.members, strict=True))
    return Sum(
        members,
        one.usd_per_hour + other.usd_per_hour,
        one.on_spot + other.on_spot,
        (*one.of_workers, *other.of_workers),
    )


def best(sums: Iterable[Sum]) -> list[Sum]:
    """The largest first, without sums that hold no more members than another one and cost no less."""
    kept: list[Sum] = []
    for one in sorted(sums, key=lambda each: (-each.total, each.usd_per_hour, each.on_spot, each.of_workers)):
        if not any(_takes_no_more(other, one) and contains(other.members, one.members) for other in kept):
            kept.append(one)
    return kept


def cheapest(sums: Iterable[Sum]) -> list[Sum]:
    """The sums that no other sum of the same members undercuts, in price and members on spot workers."""
    kept: dict[Numbers, list[Sum]] = {}
    for one in sorted(sums, key=lambda each: (each.usd_per_hour, each.on_spot, each.of_workers)):
        alike = kept.setdefault(one.members, [])
        if not any(_takes_no_more(other, one) for other in alike):
            alike.append(one)
    return [one for alike in kept.values() for one in alike]


def _takes_no_more(one: Sum, other: Sum) -> bool:
    return one.usd_per_hour <= other.usd_per_hour and one.on_spot <= other.on_spot


def by_total(sums: Iterable[Sum]) -> Mapping[int, list[Sum]]:
    """The sums by how many members they hold."""
    found: dict[int, list[Sum]] = {}
    for one in sums:
        found.setdefault(one.total, []).append(one)
    return found
