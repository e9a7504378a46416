"""Answers for whole columns: one question a distinct number, and none at all where nothing is asked."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from bayplan.framework.plugins import BoolArray

T = TypeVar("T")

FEW_ROWS = 64
"""Up to here a set and a list cost less than a sort of NumPy's."""


@lru_cache(maxsize=256)
def everybody(size: int) -> BoolArray:
    """The mask that keeps all rows; it is shared between callers, so it is read-only."""
    mask = np.ones(size, np.bool_)
    mask.flags.writeable = False
    return mask


def numbered(numbers: npt.NDArray[Any]) -> tuple[list[int], npt.NDArray[np.intp]]:
    """The distinct numbers in order, and which of them each row has: `np.unique`, quicker for few rows."""
    if len(numbers) > FEW_ROWS:
        used, which = np.unique(numbers, return_inverse=True)
        return used.tolist(), which
    given = numbers.tolist()
    distinct = sorted(set(given))
    place = {number: at for at, number in enumerate(distinct)}
    return distinct, np.array([place[number] for number in given], np.intp)


def judged(numbers: npt.NDArray[Any], question: Callable[[int], bool]) -> BoolArray:
    """A mask: what the question says of each row's number."""
    used, which = numbered(numbers)
    passed = np.array([question(number) for number in used], np.bool_)
    mask: BoolArray = passed[which]
    return mask


def told(numbers: npt.NDArray[Any], question: Callable[[int], T]) -> list[T]:
    """A list: what the question says of each row's number; equal numbers share one answer."""
    seen = {number: question(number) for number in set(numbers.tolist())}
    return [seen[number] for number in numbers.tolist()]
