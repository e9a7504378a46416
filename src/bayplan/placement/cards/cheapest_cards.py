"""The cards worth least, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray

    Numbers = npt.NDArray[Any]

NEVER = np.iinfo(np.int64).max
"""The worth of a card that is no candidate: it sorts last and never wins a minimum."""


def early(chosen: BoolArray) -> Numbers:
    """A number for each set that is larger the lower the positions of its cards; cards beyond the 64th do not count.

    The first card is the highest bit: its bytes are read as one unsigned big-endian word.
    """
    packed = np.packbits(chosen[:, :64], axis=1)
    words = np.zeros((len(chosen), 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view(">u8").reshape(-1)


def least(worth: Numbers, candidates: BoolArray, cards: Numbers) -> BoolArray:
    """In each row, `cards` of the candidates with the least worth; equal cards by position."""
    ranked = np.where(candidates, worth, NEVER)
    if cards.size and cards.max() == 1:  # a minimum instead of a sort
        chosen = np.zeros(candidates.shape, np.bool_)
        lines = np.flatnonzero(cards == 1)
        chosen[lines, ranked[lines].argmin(1)] = True  # argmin takes the lowest position of equals
        return chosen
    order = ranked.argsort(1, kind="stable")  # stable: equal cards stay in the order of their positions
    chosen = np.empty(candidates.shape, np.bool_)
    np.put_along_axis(chosen, order, np.arange(candidates.shape[1]) < cards[:, None], 1)
    return chosen
