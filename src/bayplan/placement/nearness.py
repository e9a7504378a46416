"""How near topology paths are to the nearest of several places, for many paths at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.topology import CLOSENESS, LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cluster.topology import TopologyPath
    from bayplan.framework.plugins import FloatArray

    Names = tuple[str | None, ...]
    Pattern = tuple[bool, ...]


def nearest(paths: Sequence[TopologyPath], places: Iterable[TopologyPath]) -> FloatArray:
    """For each path the largest `closeness` to one of the places; 0 where there is none.

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


def _by_pattern(names: Iterable[Names]) -> dict[Pattern, set[Names]]:
    """Distinct names by the levels that they name."""
    found: dict[Pattern, set[Names]] = {}
    for each in names:
        found.setdefault(tuple(name is not None for name in each), set()).add(each)
    return found


def _compare(here: set[Names], there: set[Names], levels: Sequence[int], near: dict[Names, float]) -> None:
    """Level by level, outermost first, among those that share all levels before it."""
    for depth, level in enumerate(levels, 1):
        compared, worth = levels[:depth], CLOSENESS[LEVELS[level]]
        known = {tuple(names[each] for each in compared) for names in there}
        here = {names for names in here if tuple(names[each] for each in compared) in known}
        for names in here:
            near[names] = max(near[names], worth)
