"""The rows of a run by group, best first: in lists, or in arrays where groups are numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayplan.framework.evaluation.totals import ArrayTotals

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bayplan.framework.evaluation.totals import Totals
    from bayplan.framework.plugins import Column, IndexArray

_REFUSED = -np.inf  # as in `totals`: smaller than every sum of scores
_FIRST = np.zeros(1, np.intp)
_NUMBERS = "biu"  # kinds of NumPy types that sort as whole numbers

GroupMembers: TypeAlias = "ListMembers | ArrayMembers"
"""Groups in the order of their best rows: `best` is the best row of each, `left` how many of its rows passed."""


def members_of(totals: Totals, column: Column, desired: int) -> GroupMembers:
    """The groups of the rows that passed."""
    if isinstance(totals, ArrayTotals) and isinstance(column, np.ndarray) and column.dtype.kind in _NUMBERS:
        rows = (totals.levels[0] != _REFUSED).nonzero()[0]
        if len(rows):
            return ArrayMembers(totals, rows, column, desired)
    return ListMembers(totals, column.tolist() if isinstance(column, np.ndarray) else column, desired)


class ListMembers:
    """Groups with any values."""

    __slots__ = ("_desired", "_rows", "best", "left")

    def __init__(self, totals: Totals, column: Sequence[Any], desired: int) -> None:
        members: dict[Any, list[int]] = {}
        for row in totals.ranked():
            members.setdefault(column[row], []).append(row)
        self._rows = list(members.values())
        self._desired = desired
        self.best = [rows[0] for rows in self._rows]
        self.left = [len(rows) for rows in self._rows]

    @property
    def lowest(self) -> list[int]:
        """The lowest row of each group."""
        return list(map(min, self._rows))

    def sums(self, column: Column) -> Any:
        """The sum of a column over the best rows of each group, as many as are desired."""
        found = [sum(column[row] for row in rows[: self._desired]) for rows in self._rows]
        return np.array(found, _summed(column)) if isinstance(column, np.ndarray) else found

    def rows(self, place: int) -> list[int]:
        """The rows of one group, best first."""
        return self._rows[place]


class ArrayMembers:
    """Groups that are numbers, in a few vector operations."""

    __slots__ = ("_counts", "_desired", "_order", "_rows", "_starts", "best", "left")

    def __init__(self, totals: ArrayTotals, rows: IndexArray, column: npt.NDArray[Any], desired: int) -> None:
        """`rows` are the ones that passed: at least one."""
        levels = totals.levels
        keys = [-level[rows] for level in reversed(levels)]
        ranked = rows[np.lexsort((*keys, column[rows]))]  # its last key counts first: by group, in each best first
        values = column[ranked]
        ends = (values[1:] != values[:-1]).nonzero()[0] + 1
        starts = np.concatenate((_FIRST, ends))
        best = ranked[starts]
        self._rows: IndexArray = ranked
        self._starts = starts
        self._counts = np.concatenate((ends, [len(ranked)])) - starts
        self._order = np.lexsort((best, *(-level[best] for level in reversed(levels))))
        self._desired = desired
        self.best: IndexArray = best[self._order]
        self.left: IndexArray = self._counts[self._order]

    @property
    def lowest(self) -> IndexArray:
        """The lowest row of each group."""
        lowest: IndexArray = np.minimum.reduceat(self._rows, self._starts)[self._order]
        return lowest

    def sums(self, column: Column) -> Any:
        """The sum of a column over the best rows of each group, as many as are desired."""
        if self._desired == 1:  # most wants are of this kind
            return column[self.best].astype(_summed(column), copy=False)
        starts, values = self._starts, column[self._rows].astype(_summed(column), copy=False)
        place = np.arange(len(values)) - starts.repeat(self._counts)
        values[place >= self._desired] = 0  # a copy: it was gathered
        return np.add.reduceat(values, starts)[self._order]

    def rows(self, place: int) -> list[int]:
        """The rows of one group, best first."""
        start, count = self._starts[self._order[place]], self.left[place]
        rows: list[int] = self._rows[start : start + count].tolist()
        return rows


def _summed(column: npt.NDArray[Any]) -> npt.DTypeLike:
    """The type of sums: truth values are counted, all others stay as they are."""
    return np.int64 if column.dtype.kind == "b" else column.dtype
