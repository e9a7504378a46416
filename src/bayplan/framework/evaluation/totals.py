"""What a picker is given: the sums of the rows that are left, in either storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bayplan.framework.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.framework.plugins import BoolArray, FloatArray

Totals: TypeAlias = "ArrayTotals | ListTotals"

_REFUSED = float("-inf")  # as in `stages`: smaller than every sum of scores
UNKNOWN = -2  # the best row was not looked for yet; -1 says that there is none
_FEW = 16
"""Up to this many rows are found one after the other: a look at all rows costs a tenth of putting them in order."""


class ArrayTotals:
    """One array a level over all rows of a table; -inf stands for a refused row."""

    __slots__ = ("_best", "levels")

    def __init__(self, levels: Sequence[FloatArray]) -> None:
        self.levels = levels
        self._best = UNKNOWN

    def best(self) -> int:
        """The best row, the lowest of equals; -1 if none is left. Worked out once."""
        if self._best == UNKNOWN:
            self._best = self._find_best()
        return self._best

    def total(self, row: int) -> tuple[float, ...]:
        """A row's sums, level by level."""
        levels = self.levels
        return (levels[0].item(row),) if len(levels) == 1 else tuple([level.item(row) for level in levels])

    def taken(self, row: int) -> tuple[float, ...] | None:
        """A row's sums, level by level; None where it is not there, or was refused."""
        first = self.levels[0]
        if not 0 <= row < len(first):
            return None
        value = first.item(row)
        if value == _REFUSED:
            return None
        return (value,) if len(self.levels) == 1 else self.total(row)

    def survivors(self) -> list[int]:
        """The rows that are left, in order."""
        rows: list[int] = np.flatnonzero(self.levels[0] != _REFUSED).tolist()
        return rows

    def equals(self) -> list[int]:
        """The rows that are as good as the best."""
        rows: list[int] = np.flatnonzero(self._equal(self.best())).tolist()
        return rows

    def ranked(self) -> list[int]:
        """The rows that are left, best first, the lower of equals first."""
        rows = np.flatnonzero(self.levels[0] != _REFUSED)
        order = np.lexsort([-level[rows] for level in reversed(self.levels)])  # its last key counts first; it is stable
        ranked: list[int] = rows[order].tolist()
        return ranked

    def top(self, count: int) -> list[int]:
        """The first `count` rows of `ranked`, without putting the others in order."""
        if len(self.levels) == 1 and count <= _FEW:
            return self._few(count)
        rows, left, sure = np.flatnonzero(self.levels[0] != _REFUSED), count, []
        for level in self.levels:
            if len(rows) <= left:
                break
            values = level[rows]
            last = np.partition(values, -left)[-left]  # the smallest of the `left` largest values, without a sort
            sure.append(rows[values > last])
            rows, left = rows[values == last], left - len(sure[-1])  # ties with it are decided on the next level
        # in order of rows, so that lexsort keeps the lower of equals first
        found = np.sort(np.concatenate([*sure, rows[:left]]))
        ranked: list[int] = found[np.lexsort([-level[found] for level in reversed(self.levels)])].tolist()
        return ranked

    def _few(self, count: int) -> list[int]:
        """As `top` on one level: the best row, the best of the others, and so on."""
        left, found = self.levels[0].copy(), []
        for _ in range(min(count, len(left))):
            row = int(left.argmax())
            if left.item(row) == _REFUSED:
                break
            found.append(row)
            left[row] = _REFUSED  # so that the next argmax finds the next best; `left` is a copy
        return found

    def only(self, rows: Sequence[int]) -> ArrayTotals:
        """The same totals with every other row refused."""
        levels = []
        for level in self.levels:
            narrowed = np.full(len(level), _REFUSED)
            narrowed[rows] = level[rows]
            levels.append(narrowed)
        return ArrayTotals(levels)

    def _find_best(self) -> int:
        first = self.levels[0]
        if not len(first):  # argmax of an empty array is an error
            return -1
        row = int(first.argmax())
        value = first.item(row)
        if value == _REFUSED:
            return -1
        # argmax gives the first NaN, so one look tells whether there is any.
        if value != value:  # noqa: PLR0124 (NaN)
            raise PluginError("row stage", f"gave NaN for row {row}")
        if len(self.levels) > 1:
            row = int(self._equal(row).argmax())
        return row

    def _equal(self, row: int) -> BoolArray:
        """Which rows equal the best one, where `row` is known to be best on the first level."""
        equal: BoolArray = self.levels[0] == self.levels[0][row]
        for level in self.levels[1:]:
            equal &= level == np.where(equal, level, _REFUSED).max()  # the best of the rows that were equal so far
        return equal


class ListTotals:
    """One list a level, over the rows that are left; `rows` says which these are."""

    __slots__ = ("_best", "levels", "rows")

    def __init__(self, rows: Sequence[int], levels: Sequence[list[float]]) -> None:
        self.rows = rows
        self.levels = levels
        self._best = UNKNOWN

    def best(self) -> int:
        """The best row, the lowest of equals; -1 if none is left."""
        if self._best == UNKNOWN:
            if not self.rows:
                self._best = -1
            elif len(self.levels) == 1:
                first = self.levels[0]
                # `index` finds the first, which is the lowest of equals
                self._best = self.rows[first.index(max(first))]
            else:
                sums = list(zip(*self.levels, strict=True))
                self._best = self.rows[sums.index(max(sums))]
        return self._best

    def total(self, row: int) -> tuple[float, ...]:
        """A row's sums, level by level."""
        place, levels = self.rows.index(row), self.levels
        if len(levels) == 1:
            return (levels[0][place] + 0.0,)  # a sum from 0.0 is never -0.0
        return tuple([level[place] + 0.0 for level in levels])

    def taken(self, row: int) -> tuple[float, ...] | None:
        """A row's sums, level by level; None where it is not there, or was refused."""
        try:
            return self.total(row)
        # `index` did not find the row: `rows` holds only rows that are left.
        except ValueError:
            return None

    def survivors(self) -> list[int]:
        """The rows that are left, in order."""
        return list(self.rows)

    def equals(self) -> list[int]:
        """The rows that are as good as the best."""
        if len(self.levels) == 1:
            first = self.levels[0]
            top = max(first)
            if first.count(top) == 1:
                return [self.rows[first.index(top)]]
            return [row for row, value in zip(self.rows, first, strict=True) if value == top]
        best = self.total(self.best())
        return [row for row, *sums in zip(self.rows, *self.levels, strict=True) if tuple(sums) == best]

    def ranked(self) -> list[int]:
        """The rows that are left, best first, the lower of equals first."""
        order = sorted(zip(*([-value for value in level] for level in self.levels), self.rows, strict=True))
        return [int(entry[-1]) for entry in order]

    def top(self, count: int) -> list[int]:
        """The first `count` rows of `ranked`."""
        return self.ranked()[:count]

    def only(self, rows: Sequence[int]) -> ListTotals:
        """The same totals of these rows alone."""
        wanted = set(rows)
        places = [place for place, row in enumerate(self.rows) if row in wanted]
        return ListTotals([self.rows[p] for p in places], [[level[p] for p in places] for level in self.levels])
