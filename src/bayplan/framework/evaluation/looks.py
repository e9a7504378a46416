"""Rows that no plugin could tell apart: what is said of one of them is said of all.

A fleet is bought by the rack. The first question of a class is asked of every row; where most rows equal another one in
all that is read of them, it is asked of the distinct ones only, and the answers are spread over the table.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.fork import Fork
from bayplan.framework.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from bayplan.framework.plugins import Column, IndexArray

FEW_ROWS = 256
"""Of so few rows all are asked: looking for equals would cost more than it saves."""


class Folded:
    """A column of a table in which few values are distinct: `values` once each, and which of them each row has."""

    __slots__ = ("values", "which")

    def __init__(self, values: Column, which: IndexArray) -> None:
        self.values, self.which = values, which

    def __getitem__(self, index: IndexArray) -> Column:
        return self.values[self.which[index]]

    def take(self, index: IndexArray, axis: int = 0) -> Column:
        """The values of these rows."""
        return self.values.take(self.which[index], axis)

    def whole(self) -> Column:
        """The values of all rows."""
        return self.values[self.which]

    @property
    def nbytes(self) -> int:
        """What is its own: the numbers of rows are shared by all that is kept of a table."""
        return int(self.values.nbytes)


class Looks:
    """The distinct looks of a table's rows in some columns, kept up to date with its log.

    Looks that no row has any more are forgotten now and then, so that their number is at most twice that of those in
    use. `ground` numbers the rows by other columns, which never change while these looks live. `first` is a row of each
    look, as long as no row changed since they were built: static looks are built anew instead.
    """

    __slots__ = ("_count", "_ground", "_held", "_names", "_numbers", "_tick", "first", "size", "static_tick",
                 "which")  # fmt: skip

    def __init__(self, table: Table, names: Sequence[str], ground: IndexArray | None = None) -> None:
        self._names, self._ground = tuple(names), ground
        self.static_tick = table.static_log.tick
        self._tick: int  # of the log, when the looks were last up to date
        self._build(table)

    def columns(self) -> dict[str, Column]:
        """The columns of one row of each look."""
        return {name: column[: self.size] for name, column in self._held.items()}

    def grounds(self) -> Column:
        """The number that `ground` gives to the rows of each look."""
        return self._held[_GROUND][: self.size]

    def sync(self, table: Table) -> None:
        """Look again at the rows that changed."""
        if self._tick == table.log.tick:
            return
        changed = table.log.since(self._tick, table.size // 2)  # with more changed rows, building anew costs less
        if changed is None:
            self._build(table)
            return
        self._tick = table.log.tick
        rows = np.array(sorted(set(changed.tolist())))  # each once: the counts below are by row
        self._count -= np.bincount(self.which[rows], minlength=len(self._count))
        gathered = self._gather(table, rows)
        keys = _keys(gathered, len(rows))
        for place, row in enumerate(rows.tolist()):
            number = self._numbers.get(keys[place])
            if number is None:
                number = self._add(keys[place], {name: column[place] for name, column in gathered.items()})
            self.which[row] = number
            self._count[number] += 1
        # more than half of the looks are unused
        if self.size > FEW_ROWS and self.size > 2 * np.count_nonzero(self._count):
            self._tidy()

    def _build(self, table: Table) -> None:
        columns: dict[str, Any] = {name: table.columns[name] for name in self._names}
        if self._ground is not None:
            columns[_GROUND] = self._ground
        self.first, self.which = equal_rows(columns, table.size)
        self.size = len(self.first)
        self._held: dict[str, npt.NDArray[Any]] = {name: column[self.first] for name, column in columns.items()}
        self._numbers = {key: number for number, key in enumerate(_keys(self._held, self.size))}
        self._count: IndexArray = np.bincount(self.which)
        self._tick = table.log.tick

    def _gather(self, table: Table, rows: IndexArray) -> dict[str, npt.NDArray[Any]]:
        gathered: dict[str, npt.NDArray[Any]] = table.gather(self._names, rows)
        if self._ground is not None:
            gathered[_GROUND] = self._ground[rows]
        return gathered

    def _add(self, key: bytes, values: dict[str, Any]) -> int:
        number = self.size
        if number == len(self._count):
            more = max(64, number)  # doubling keeps the cost of growing constant per look
            self._count = np.pad(self._count, (0, more))
            for name, column in self._held.items():
                self._held[name] = np.concatenate([column, np.empty_like(column, shape=(more, *column.shape[1:]))])
        for name, value in values.items():
            self._held[name][number] = value
        self._numbers[key] = number
        self.size = number + 1
        return number

    def _tidy(self) -> None:
        used = self._count > 0
        numbers = np.cumsum(used) - 1  # the new number of each look in use; of the others it is never read
        self.which = numbers[self.which]
        self._held = {name: column[used] for name, column in self._held.items()}
        self._numbers = {key: int(numbers[number]) for key, number in self._numbers.items() if used[number]}
        self._count = self._count[used]
        self.size = len(self._numbers)


_GROUND = ""  # no column is called so
_WORD = 8  # bytes of the words by which rows are compared
_FEW_KEYS = 8  # up to here joining the bytes of each row costs less than one array of all of them


def distinct_rows(table: Table | Fork, index: IndexArray, names: Sequence[str]) -> tuple[IndexArray, IndexArray]:
    """One of each kind of rows that are equal in these columns, and which of them each row of `index` equals.

    The looks of the table below a fork say so; rows that were written in the fork are each of their own kind.
    """
    base = table.base if isinstance(table, Fork) else table
    if len(index) < FEW_ROWS or not isinstance(base, Table) or not can_fold(base, names):
        return index, np.arange(len(index))
    key = ("all", tuple(names))
    looks: Looks | None = base.looks.get(key)
    if looks is None or looks.static_tick != base.static_log.tick:
        looks = base.looks[key] = Looks(base, names)
    looks.sync(base)
    numbers = looks.which
    if isinstance(table, Fork) and len(touched := table.touched):
        numbers = numbers.copy()
        numbers[touched] = looks.size + np.arange(len(touched))  # numbers that no look has
    first, which = _firsts(numbers[index])
    return index[first], which


def _firsts(numbers: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Where each number is met first, and which of these each number is: `np.unique` without its sort."""
    first = np.full(int(numbers.max()) + 1, -1)  # -1: not met
    first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)  # of equal numbers the last one written stays
    met = first >= 0
    return first[met], (np.cumsum(met) - 1)[numbers]


def can_fold(table: Table, names: Sequence[str]) -> bool:
    """Whether rows can be compared by their bytes: objects cannot."""
    # bytes of objects are addresses
    return table.size >= FEW_ROWS and all(table.columns[name].dtype.kind != "O" for name in names)


def equal_rows(columns: Mapping[str, Column], size: int) -> tuple[IndexArray, IndexArray]:
    """One of each kind of rows whose bytes are equal, and which of them each row equals.

    Each row gets a number that is made of its bytes, and rows of equal numbers are compared. Rows that differ hardly
    ever have equal numbers; where they do, the bytes of all rows are looked up, which takes five times as long.
    """
    lines = _lines(columns, size, _WORD)
    if not lines.size:
        return np.zeros(min(1, size), np.intp), np.zeros(size, np.intp)
    words = lines.view(np.uint64)
    numbers = np.einsum("ij,j->i", words, _multipliers(words.shape[1]))
    _, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    if np.array_equal(words, words[first].take(which, 0)):
        return first, which
    known: dict[bytes, int] = {}
    return _firsts(np.fromiter((known.setdefault(key, len(known)) for key in _keys(columns, size)), np.intp, size))


@lru_cache(maxsize=64)
def _multipliers(count: int) -> npt.NDArray[np.uint64]:
    """Odd numbers, so that no bit of a word is lost where products of 64 bits overflow; the seed is arbitrary."""
    return np.random.default_rng(1).integers(0, 1 << 63, count, np.uint64) | np.uint64(1)


def _lines(columns: Mapping[str, Column], size: int, unit: int) -> npt.NDArray[np.uint8]:
    """The bytes of each row, filled up with zeros to a multiple of `unit`."""
    # A view as bytes needs contiguous memory; columns without values have no bytes to add.
    flat = [np.ascontiguousarray(each).reshape(size, -1).view(np.uint8) for each in columns.values() if each.size]
    if missing := -sum(each.shape[1] for each in flat) % unit:
        flat.append(np.zeros((size, missing), np.uint8))
    return np.hstack(flat) if flat else np.zeros((size, 0), np.uint8)


def _keys(columns: Mapping[str, Column], size: int) -> list[bytes]:
    """The bytes of each row; equal rows have equal ones."""
    if size <= _FEW_KEYS:
        return [b"".join([column[place].tobytes() for column in columns.values()]) for place in range(size)]
    lines = _lines(columns, size, 1)
    data, width = lines.tobytes(), lines.shape[1]
    return [data[begin : begin + width] for begin in range(0, len(data), width)] if width else [b""] * size
