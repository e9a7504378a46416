"""How few NUMA zones hold a replica, and whether these are as near to each other as any of that worker."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.numa import Numa

Amounts: TypeAlias = tuple[int, int, int]
"""CPU, RAM and cards: of a zone what it has free, of a container what it wants."""

PER_ZONE, NEAREST, MOST_ZONES = 12, 6, 8
"""Percent: what each zone costs, what the nearest set earns; with more zones nothing is left."""

MOST_SETS = 20_000
"""The most sets of one size that are compared: 16 zones have at most 12,870; with more, the roomiest are taken."""


def fewest_score(numa: Numa, free: Sequence[Amounts], wanted: Sequence[Amounts]) -> float:
    """The lowest score of the containers, each taking from what is free after those before it.

    `free` follows the ids of the zones. 0 where all zones together do not hold them.
    """
    distances = _distances(numa)
    left = [list(each) for each in free]
    scores = []
    for container in wanted:
        found = _fewest(left, distances, container)
        if found is None:
            return 0.0
        scores.append(_score(found, distances))
        _take(left, found, container)
    return min(scores, default=1.0)  # without containers nothing is spread over zones


def _score(zones: tuple[int, ...], distances: tuple[tuple[int, ...], ...]) -> float:
    is_nearest = _distance(zones, distances) <= _nearest(distances, len(zones))
    return max(0, 100 - PER_ZONE * len(zones) + NEAREST * is_nearest) / 100


def _fewest(
    free: Sequence[Sequence[int]], distances: tuple[tuple[int, ...], ...], wanted: Amounts
) -> tuple[int, ...] | None:
    """The smallest set that holds it, of equals the nearest, then the lowest."""
    for size in range(1, min(len(free), MOST_ZONES) + 1):
        if comb(len(free), size) > MOST_SETS:
            return _roomiest(free, wanted)
        holding = [each for each in combinations(range(len(free)), size) if _holds(free, each, wanted)]
        if holding:
            return min(holding, key=lambda each: _distance(each, distances))
    return None


def _roomiest(free: Sequence[Sequence[int]], wanted: Amounts) -> tuple[int, ...] | None:
    """Zones with the most cards, then CPU, then RAM, until they suffice."""
    order = sorted(range(len(free)), key=lambda zone: (-free[zone][2], -free[zone][0], -free[zone][1], zone))
    sets = (tuple(order[:size]) for size in range(1, len(order) + 1))
    return next((each for each in sets if _holds(free, each, wanted)), None)


def _holds(free: Sequence[Sequence[int]], zones: Sequence[int], wanted: Amounts) -> bool:
    return all(sum(free[zone][kind] for zone in zones) >= amount for kind, amount in enumerate(wanted))


def _take(free: list[list[int]], zones: Sequence[int], wanted: Amounts) -> None:
    """From the lowest of the zones first."""
    for kind, left in enumerate(wanted):
        for zone in zones:
            taken = min(free[zone][kind], left)
            free[zone][kind] -= taken
            left -= taken  # noqa: PLW2901 (what the next zone must give)


def _distances(numa: Numa) -> tuple[tuple[int, ...], ...]:
    zones = sorted(numa.zones, key=lambda zone: zone.id)
    return tuple(tuple(zone.distance(other.id) for other in zones) for zone in zones)


def _distance(zones: Sequence[int], distances: tuple[tuple[int, ...], ...]) -> int:
    """Over all ordered pairs, a zone with itself included: sums compare as means do where sets are equally large."""
    return sum(distances[one][other] for one in zones for other in zones)


@lru_cache(maxsize=1024)
def _nearest(distances: tuple[tuple[int, ...], ...], size: int) -> int:
    """The least distance of any set of that size; where there are too many to compare, no set has it."""
    if comb(len(distances), size) > MOST_SETS:
        return -1  # below every distance
    return min(_distance(each, distances) for each in combinations(range(len(distances)), size))
