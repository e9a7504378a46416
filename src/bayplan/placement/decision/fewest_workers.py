"""The fewest workers that give enough cards within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]

MOST_WORKERS = 64
"""Workers that are looked at, the best value for their price first; the search grows with workers × units × number.

With more workers the answer may use more of them than necessary.
"""


class _Set(NamedTuple):
    """Some workers, by place, and what they cost."""

    usd_per_hour: float = 0.0
    places: tuple[int, ...] = ()


def fewest_within(units: Numbers, prices: Numbers, wanted: int, limit: float) -> list[tuple[int, int]]:
    """The places of the fewest workers that give `wanted` units and cost no more than the limit, with what each gives.

    Of sets with the same number of workers the cheapest; empty where no set suffices.
    """
    places = np.flatnonzero(units)
    worth = prices[places] / np.minimum(units[places], wanted)  # units beyond the wanted ones are worth nothing
    places = places[np.argsort(worth, kind="stable")][:MOST_WORKERS]
    # Each worker gives at least one unit, so that no more than `wanted` workers are needed.
    sets: list[dict[int, _Set]] = [{0: _Set()}, *({} for _ in range(min(len(places), wanted)))]
    for place in sorted(places.tolist()):
        _add(sets, place, int(units[place]), float(prices[place]), wanted, limit)
    found = next((each[wanted] for each in sets if wanted in each), None)
    return [] if found is None else _shares(found.places, units, wanted)


def _add(sets: list[dict[int, _Set]], place: int, units: int, price: float, wanted: int, limit: float) -> None:
    """Add one more worker: `sets[count][units]` is the cheapest set with this number of workers and units.

    Counts go down, so that the worker is added to each set once.
    """
    for count in range(len(sets) - 1, 0, -1):
        for had, former in sets[count - 1].items():
            # all sums that suffice count as `wanted`
            total, usd_per_hour = min(wanted, had + units), former.usd_per_hour + price
            known = sets[count].get(total)
            if usd_per_hour <= limit and (known is None or usd_per_hour < known.usd_per_hour):
                sets[count][total] = _Set(usd_per_hour, (*former.places, place))


def _shares(places: tuple[int, ...], units: Numbers, wanted: int) -> list[tuple[int, int]]:
    """What each of them gives: workers with the most units give all of them, the last one gives the rest."""
    left, given = wanted, []
    for place in sorted(places, key=lambda each: -units[each]):
        number = min(left, int(units[place]))
        given.append((place, number))
        left -= number
    return sorted(given)
