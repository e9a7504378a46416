"""Scores that are the mean of their parts: one that does not apply is left out, one that is not known counts half."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.placement.cards.distinct import everybody

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray, FloatArray

NEUTRAL = 0.5
"""The value of a part that is not known, and of a score to which no part applies."""


class ScorePart(NamedTuple):
    """One part of a score, row by row: its value, whether it is known, and whether it applies at all."""

    name: str
    values: FloatArray
    known: BoolArray
    applies: BoolArray


def part(
    name: str, values: npt.NDArray[Any], known: BoolArray | None = None, applies: BoolArray | None = None
) -> ScorePart:
    """A part; without masks it is known and applies everywhere."""
    all_rows = everybody(len(values))
    return ScorePart(name, values, all_rows if known is None else known, all_rows if applies is None else applies)


def mean_of(parts: Sequence[ScorePart], size: int) -> FloatArray:
    """The mean of each row's parts."""
    total, number = np.zeros(size), np.zeros(size)
    for each in parts:
        total += np.where(each.applies, np.where(each.known, each.values, NEUTRAL), 0.0)
        number += each.applies
    mean: FloatArray = np.divide(total, number, out=np.full(size, NEUTRAL), where=number > 0)
    return mean


def not_known(parts: Sequence[ScorePart], size: int) -> list[str]:
    """A note for each row that names the parts that are not known; empty where all are known."""
    missing: list[list[str]] = [[] for _ in range(size)]
    for each in parts:
        for row in np.flatnonzero(each.applies & ~each.known).tolist():
            missing[row].append(each.name)
    return [f"not known: {', '.join(names)}" if names else "" for names in missing]


def inverse(amounts: npt.NDArray[Any], most: float) -> FloatArray:
    """1 for nothing, 0 for `most` or more."""
    score: FloatArray = 1.0 - np.minimum(np.maximum(amounts, 0) / most, 1.0)
    return score


def share(amounts: npt.NDArray[Any], most: float) -> FloatArray:
    """0 for nothing, 1 for `most` or more."""
    score: FloatArray = np.minimum(np.maximum(amounts, 0) / most, 1.0)
    return score
