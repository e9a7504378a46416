"""Candidates as a struct of arrays: static columns, state columns, and values that all rows share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bayplan.framework.errors import InputError
from bayplan.framework.fork import Fork
from bayplan.framework.log import Log
from bayplan.framework.row_delta import NO_CELLS, RowDelta
from bayplan.framework.rows import Rows, view, view_type
from bayplan.framework.schema import UNFIT, Schema, both, unfit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from bayplan.framework.list_table import ListTable
    from bayplan.framework.plugins import Column, IndexArray

AnyTable: TypeAlias = "Table | Fork | ListTable"


class Table:
    """Many rows, held in NumPy arrays. `write`, `refresh`, `add` and `remove` are the only ways to change it.

    What flickers (ready, heartbeat age) belongs into a state column: a written static column costs more to redo.
    `constants` are shared values that never change what they say of a row, such as the distinct values behind
    numbers: a plugin that reads them is as steady as the other columns that it reads.
    Plugins are handed read-only views. Two-dimensional columns (a card per column, say) are kept C-contiguous,
    because sums along another layout would differ between some rows and all rows.
    """

    __slots__ = (
        "__weakref__",
        "_columns",
        "columns",
        "epochs",
        "generation",
        "keys",
        "log",
        "looks",
        "schema",
        "shared",
        "static_log",
        "version",
        "versions",
    )  # fmt: skip

    def __init__(
        self,
        *,
        static: Mapping[str, npt.ArrayLike] | None = None,
        state: Mapping[str, npt.ArrayLike] | None = None,
        shared: Mapping[str, Any] | None = None,
        constants: Mapping[str, Any] | None = None,
        keys: Sequence[str] | None = None,
        copied: bool = True,
    ) -> None:
        """`copied` False: the arrays were made for this table, and no other code writes to them."""
        static, state, constants = static or {}, state or {}, constants or {}
        shared = both(shared or {}, constants)
        self.schema = Schema(frozenset(static), frozenset(state), frozenset(shared), frozenset(constants))
        made = _column if copied else _owned_column
        columns = {name: made(name, value) for name, value in (*static.items(), *state.items())}
        size = len(next(iter(columns.values()), ()))
        self.shared: Mapping[str, Any] = dict(shared)
        self.epochs = dict.fromkeys(shared, 0)
        self.log, self.static_log = Log(), Log()
        self.generation = 0
        self.version: int = 0
        self._publish(columns, list(keys) if keys is not None else [str(row) for row in range(size)])

    @property
    def size(self) -> int:
        return len(self.keys)

    def rows(self, names: Iterable[str], index: IndexArray | None = None) -> Rows:
        """These columns of these rows (all of them when None), outside any profile."""
        names = tuple(names)
        columns = self.gather(names, index) if index is not None else self.columns
        kind = view_type("the caller", names)
        return view(kind, {**self.shared, **columns}, self.size if index is None else len(index))

    def gather(self, names: Iterable[str], index: IndexArray) -> dict[str, Column]:
        """Copies of these columns at these rows."""
        columns = self._columns
        return {name: columns[name][index] for name in names}

    def at(self, row: int) -> tuple[Mapping[str, Column], int]:
        """Arrays that hold the state of a row, and its place in them; they hold until the next write."""
        return self.columns, row

    def write(self, row: int, values: Mapping[str, Any] | RowDelta) -> None:
        """One row's new values, or only those of its cells that change.

        It is the caller who knows that they are right: this is no ledger.
        """
        if not 0 <= row < len(self.keys):
            raise InputError(f"there is no row {row}", place="table", next=f"rows are 0 to {self.size - 1}")
        columns, static = self._columns, self.schema.static
        is_static = False
        whole, places = (values.values, values.cells) if isinstance(values, RowDelta) else (values, NO_CELLS)
        try:
            for name, value in whole.items():
                columns[name][row] = value
                if name in static:
                    is_static = True
            for place, cells in places.items():
                for name, value in cells.items():
                    columns[name][row, place] = value
                    if name in static:
                        is_static = True
        except UNFIT as problem:
            self.static_log.append(row)  # some values may be in: no answer about this row may be kept
            raise unfit(self.schema, f"table.{name}[{row}]", name, value, problem) from problem
        finally:  # also after an error: some values may be in
            self.log.append(row)
            self.version += 1
            self.versions[row] = self.version
        if is_static:
            self.static_log.append(row)

    def write_many(self, index: IndexArray, values: Mapping[str, npt.ArrayLike]) -> None:
        """New values of many rows, each column as long as the index."""
        index = self._index(index)
        try:
            for name, value in values.items():
                self._columns[name][index] = value
        except UNFIT as problem:
            self.static_log.extend(index)  # as in `write`: no answer about these rows may be kept
            raise unfit(self.schema, f"table.{name}", name, value, problem) from problem
        finally:  # also after an error: some values may be in
            self.log.extend(index)
            self.version += 1
            self.versions[index] = self.version
        if not self.schema.static.isdisjoint(values):
            self.static_log.extend(index)

    def refresh(self, **shared: Any) -> None:
        """New values that all rows share (prices, aggregates): answers that were kept and read them are redone."""
        for name in shared:
            if name not in self.epochs or name in self.schema.constants:
                place = f"table.{name}"
                raise InputError("is not a shared value of this table", place=place, next=self.schema.listed)
        self.shared = {**self.shared, **shared}  # a new mapping: records of earlier picks hold the old one
        for name in shared:
            self.epochs[name] += 1
        self.version += 1

    def add(self, keys: Sequence[str], values: Mapping[str, npt.ArrayLike]) -> None:
        """More rows at the end; every column needs values for them."""
        if missing := self._columns.keys() - values.keys():
            raise InputError(f"new rows need {sorted(missing)} too", place="table")
        if unknown := values.keys() - self._columns.keys():
            raise InputError(f"there is no column {min(unknown)!r}", place="table", next=self.schema.listed)
        columns = {}
        for name, column in self._columns.items():
            try:
                # the type of a column never changes
                columns[name] = np.concatenate([column, np.asarray(values[name], column.dtype)])
            except UNFIT as problem:
                raise unfit(self.schema, f"table.{name}", name, values[name], problem) from problem
        self._publish(columns, [*self.keys, *keys])

    def remove(self, index: IndexArray) -> None:
        """Fewer rows; those behind them move up."""
        index = self._index(index)
        gone = set(index.tolist())
        columns = {name: np.delete(column, index, axis=0) for name, column in self._columns.items()}
        self._publish(columns, [key for row, key in enumerate(self.keys) if row not in gone])

    def fork(self) -> Fork:
        """A table in which one may write without changing this one."""
        return Fork(self)

    def apart(self) -> Table:
        """The same rows with a state of their own: for plans that would write many rows of a fork.

        Static columns are those of this table, and cannot be written there; it holds while they stand still here.
        """
        other = object.__new__(Table)
        other.schema, other.shared, other.epochs = self.schema, self.shared, dict(self.epochs)
        other.log, other.static_log = Log(), Log()
        other.generation, other.version = self.generation, self.version
        state = self.schema.state
        columns = {name: self._columns[name].copy() if name in state else self.columns[name] for name in self._columns}
        other._publish(columns, self.keys)
        return other

    def _index(self, index: IndexArray) -> IndexArray:
        rows = np.asarray(index)
        # an empty list becomes floats, and is allowed
        if rows.ndim != 1 or (rows.dtype.kind not in "iu" and len(rows)):
            raise InputError("wants the numbers of rows", place="table", next="turn a mask over with np.flatnonzero")
        rows = rows.astype(np.intp, copy=False)
        for row in rows[(rows < 0) | (rows >= self.size)][:1].tolist():  # negative rows would count from the end
            raise InputError(f"there is no row {row}", place="table", next=f"rows are 0 to {self.size - 1}")
        return rows

    def _publish(self, columns: dict[str, npt.NDArray[Any]], keys: list[str]) -> None:
        """Read-only views of new arrays; answers kept about the old ones are made anew."""
        for name, column in columns.items():
            if len(column) != len(keys):
                message = f"has {len(column)} rows where the table has {len(keys)}"
                raise InputError(message, place=f"table.{name}", next="give each row one value")
        self._columns, self.keys = columns, keys
        self.columns: Mapping[str, Column] = {name: _read_only(column) for name, column in columns.items()}
        self.looks: dict[Any, Any] = {}  # of its rows, by columns: kept here for all who evaluate it
        self.generation += 1  # evaluators compare it: answers about the old arrays are dropped
        self.version += 1
        self.versions = np.full(len(keys), self.version, np.int64)


def _column(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """A column of one's own. Text is held as objects: an array of characters would cut off what is written later."""
    try:
        column = np.array(values, order="C")
    except UNFIT as problem:
        raise InputError(
            f"cannot be a column: {problem}", place=f"table.{name}", next="give each row one value"
        ) from problem
    if not column.ndim:
        raise InputError(f"is one value, {values!r}", place=f"table.{name}", next="give each row one value")
    return column.astype(object) if column.dtype.kind in "US" else column  # U and S are text and bytes of fixed width


def _owned_column(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """The array itself where it can be written and lies in order; a copy of anything else."""
    if isinstance(values, np.ndarray) and values.flags.c_contiguous and values.flags.writeable and values.flags.owndata:
        return values
    return _column(name, values)


def _read_only(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    shown = column.view()
    shown.flags.writeable = False
    return shown
