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


@lru_cache(maxsize=256)
def everybody(size: int) -> BoolArray:
    """The mask that keeps all rows; it is shared between callers, so it is read-only."""
    mask = np.ones(size, np.bool_)
    mask.flags.writeable = False
    return mask


def judged(numbers: npt.NDArray[Any], question: Callable[[int], bool]) -> BoolArray:
    """A mask: what the question says of each row's number."""
    used, which = np.unique(numbers, return_inverse=True)
    passed = np.array([question(number) for number in used.tolist()], np.bool_)
    mask: BoolArray = passed[which]
    return mask


def told(numbers: npt.NDArray[Any], question: Callable[[int], T]) -> list[T]:
    """A list: what the question says of each row's number; equal numbers share one answer."""
    seen = {number: question(number) for number in set(numbers.tolist())}
    return [seen[number] for number in numbers.tolist()]
