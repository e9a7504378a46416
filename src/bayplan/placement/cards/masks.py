"""Sets of a worker's cards as bit masks: bit n is the card at position n."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import MASK_CARDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray

    Masks = npt.NDArray[Any]

WORD_CARDS = 62
"""Up to this width a mask is a NumPy int64 below its sign bit; wider masks are Python integers."""

# A mask of MASK_CARDS has 16 bits, so a table of all 65,536 masks counts the bits of a column by one `take`.
_BYTES = np.arange(1 << MASK_CARDS, dtype=np.uint16).view(np.uint8).reshape(-1, 2)
BIT_COUNTS = np.unpackbits(_BYTES, axis=1).sum(1, dtype=np.int8)
"""How many bits of each mask of up to MASK_CARDS cards are set."""


def masks_of(cards: BoolArray) -> Masks:
    """The marked cards of each row as one mask."""
    size, width = cards.shape
    packed = np.packbits(cards, axis=1, bitorder="little")
    if width <= WORD_CARDS:  # the packed bytes of a row, read as one little-endian word, are its mask
        words = np.zeros((size, 8), np.uint8)
        words[:, : packed.shape[1]] = packed
        return words.view("<i8").reshape(-1)
    return np.array([int.from_bytes(row.tobytes(), "little") for row in packed] or [0], object)[:size]


def positions(mask: int) -> Iterator[int]:
    """The positions in a mask, lowest first."""
    while mask:
        lowest = mask & -mask  # the lowest set bit alone
        yield lowest.bit_length() - 1
        mask ^= lowest


@lru_cache(maxsize=65_536)  # all masks of MASK_CARDS
def places_of(mask: int) -> tuple[int, ...]:
    """The positions in a mask, lowest first, kept for the next caller."""
    return tuple(positions(mask))


def mask_of(places: Any) -> int:
    """The mask of these positions."""
    mask = 0
    for place in places:
        mask |= 1 << place
    return mask


@lru_cache(maxsize=65_536)  # all masks of MASK_CARDS at one width
def marked(mask: int, width: int) -> BoolArray:
    """A mask as one row of a column; it is shared between callers, so it is read-only."""
    row = np.zeros(width, np.bool_)
    row[list(positions(mask))] = True
    row.flags.writeable = False
    return row
