"""The rows that changed, in order, so that kept answers are redone for these only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bayplan.framework.plugins import IndexArray


class Log:
    """Remembers the last `capacity` changes; older readers are told to start over.

    `tick` counts all changes ever made. What `since` returns is a view: use it before the next append.
    """

    __slots__ = ("_end", "_rows", "_start", "tick")

    def __init__(self, capacity: int = 16_384) -> None:
        """The default remembers three writes a row of 5,000: 128 kB, and few readers lag further behind."""
        self._rows: IndexArray = np.empty(capacity, np.intp)
        self._start = 0  # the tick of the first entry held
        self._end = 0
        self.tick = 0

    def append(self, row: int) -> None:
        """One row changed."""
        if self._end == len(self._rows):
            self._shift()
        self._rows[self._end] = row
        self._end += 1
        self.tick += 1

    def extend(self, rows: IndexArray) -> None:
        """Many rows changed at once; more than can be remembered makes all readers start over."""
        count = len(rows)
        if count > len(self._rows) // 2:  # `_shift` frees only half of the room
            self.forget(count)
            return
        if self._end + count > len(self._rows):
            self._shift()
        self._rows[self._end : self._end + count] = rows
        self._end += count
        self.tick += count

    def forget(self, count: int = 1) -> None:
        """Everything may have changed."""
        self.tick += count
        self._start = self.tick
        self._end = 0

    def since(self, tick: int, most: int) -> IndexArray | None:
        """The rows changed after that tick, some perhaps twice; None if more than `most`, or too long ago."""
        lag = self.tick - tick
        if lag > most or tick < self._start:  # what changed before `_start` is forgotten
            return None
        return self._rows[self._end - lag : self._end]

    def _shift(self) -> None:
        """Forget the older half. A new array, so that views given out keep their contents."""
        half = len(self._rows) // 2
        kept = self._rows[half : self._end]
        self._rows = np.empty(len(self._rows), np.intp)
        self._rows[: len(kept)] = kept
        self._start += half
        self._end = len(kept)
