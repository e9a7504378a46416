"""How fast the slowest link between the cards that a worker gives is."""

from __future__ import annotations

from functools import lru_cache
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.placement.card_masks import masks_of, positions

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.cluster.links import LinkMatrix
    from bayplan.cluster.pools import Pools
    from bayplan.framework.plugins import BoolArray, FloatArray


def slowest_gb_per_s(chosen: BoolArray, links_id: npt.NDArray[Any], pools: Pools) -> FloatArray:
    """In each row the fewest GB/s between two of the chosen cards; NaN where they are not known, or fewer than two.

    Each distinct set of cards on each distinct matrix is looked at once.
    """
    slowest = np.full(len(chosen), nan)
    masks = masks_of(chosen)
    for number in np.unique(links_id[links_id >= 0]).tolist():
        rows, links = np.flatnonzero(links_id == number), pools.links[number]
        sets, which = np.unique(masks[rows], return_inverse=True)
        slowest[rows] = np.array([_slowest(links, each) for each in sets.tolist()], np.float64)[which]
    return slowest


@lru_cache(maxsize=65_536)
def _slowest(links: LinkMatrix, mask: int) -> float:
    """The slowest link inside a mask."""
    speed = links.smallest_bandwidth(list(positions(mask)))
    return nan if speed is None else speed
