"""Which rows are among a few named ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from bayplan.framework.plugins import BoolArray, IndexArray

_FEW = 8
"""Up to this many values are compared one by one, which is cheaper than NumPy's set operation."""


def is_among(column: IndexArray, values: Collection[int]) -> BoolArray:
    """For each row whether its value is one of these."""
    if len(values) > _FEW:
        return np.isin(column, list(values))
    mask = np.zeros(len(column), np.bool_)
    for value in values:
        mask |= column == value
    return mask
