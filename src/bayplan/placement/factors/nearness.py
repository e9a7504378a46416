"""How near topology paths are to the nearest of several places, for many paths at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.topology import CLOSENESS, LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cluster.topology import Level, TopologyPath
    from bayplan.framework.plugins import FloatArray

    Names = tuple[str | None, ...]
    Pattern = tuple[bool, ...]


def nearest(paths: Sequence[TopologyPath], places: Iterable[TopologyPath]) -> FloatArray:
    """For each path the closeness of the nearest place: CLOSENESS of the innermost level that both share, else 0.

    Paths that name the same levels are compared together, by sets: all of them with all places would take minutes
    where both are thousands.
    """
    near = dict.fromkeys((path.names for path in paths), 0.0)
    hosts = _by_pattern(place.names for place in places)
    for pattern, here in _by_pattern(near).items():
        for other, there in hosts.items():
            _compare(
                here, there, [level for level, both in enumerate(zip(pattern, other, strict=True)) if all(both)], near
            )
    return np.array([near[path.names] for path in paths], np.float64)


def undecided(paths: Sequence[TopologyPath], places: Iterable[TopologyPath]) -> list[Level | None]:
    """For each path the outermost level that could bring it nearer to a place, if both named it; None where none could.

    A level that neither path names counts as unused, except where neither path names any level.
    """
    places = tuple(places)
    near = dict(zip((path.names for path in paths), nearest(paths, places).tolist(), strict=True))
    found: dict[Names, int] = {}
    hosts = _by_pattern(place.names for place in places)
    for pattern, here in _by_pattern(near).items():
        for other, there in hosts.items():
            shared = [level for level, both in enumerate(zip(pattern, other, strict=True)) if all(both)]
            for level in (each for each in range(len(LEVELS)) if _is_missing(pattern, other, each)):
                known = {tuple(names[each] for each in shared if each < level) for names in there}
                for names in here:
                    so_far = tuple(names[each] for each in shared if each < level)
                    if so_far in known and near[names] < CLOSENESS[LEVELS[level]]:
                        found[names] = min(level, found.get(names, level))
    return [LEVELS[found[path.names]] if path.names in found else None for path in paths]


def _is_missing(pattern: Pattern, other: Pattern, level: int) -> bool:
    return pattern[level] != other[level] or not (any(pattern) or any(other))


def _by_pattern(names: Iterable[Names]) -> dict[Pattern, set[Names]]:
    """Distinct names by the levels that they name."""
    found: dict[Pattern, set[Names]] = {}
    for each in names:
        found.setdefault(tuple(name is not None for name in each), set()).add(each)
    return found


def _compare(here: set[Names], there: set[Names], levels: Sequence[int], near: dict[Names, float]) -> None:
    """Level by level, outermost first, among workers that share all levels before it."""
    for depth, level in enumerate(levels, 1):
        compared, worth = levels[:depth], CLOSENESS[LEVELS[level]]
        known = {tuple(names[each] for each in compared) for names in there}
        here = {names for names in here if tuple(names[each] for each in compared) in known}
        for names in here:
            near[names] = max(near[names], worth)
