"""The cards worth least, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray

    Numbers = npt.NDArray[Any]

NEVER = np.iinfo(np.int64).max


def least(worth: Numbers, candidates: BoolArray, cards: Numbers) -> BoolArray:
    """Of the candidates in each row so many cards with the least worth, equals by position."""
    ranked = np.where(candidates, worth, NEVER)
    if cards.size and cards.max() == 1:
        chosen = np.zeros(candidates.shape, np.bool_)
        lines = np.flatnonzero(cards == 1)
        chosen[lines, ranked[lines].argmin(1)] = True
        return chosen
    order = ranked.argsort(1, kind="stable")
    chosen = np.empty(candidates.shape, np.bool_)
    np.put_along_axis(chosen, order, np.arange(candidates.shape[1]) < cards[:, None], 1)
    return chosen
