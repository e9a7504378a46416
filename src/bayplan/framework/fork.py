"""A table as it would be: written rows are held aside, everything else is the base's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.errors import ConflictError, InputError
from bayplan.framework.log import Log
from bayplan.framework.row_delta import NO_CELLS, RowDelta
from bayplan.framework.schema import UNFIT, unfit

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from bayplan.framework.plugins import Column, IndexArray
    from bayplan.framework.schema import Schema
    from bayplan.framework.table import Table


class Fork:
    """Costs a few bytes per written row, however large the base; throwing it away is the undo.

    It holds while the base stands still: once the base has moved, every use is a ConflictError.
    """

    __slots__ = ("__weakref__", "_aside", "_at", "_slots", "base", "columns", "log", "version")  # fmt: skip

    def __init__(self, base: Table | Fork) -> None:
        self.base = base
        self._at: int = base.version
        self._slots: dict[int, int] = {}  # written row -> its place in the arrays of `_aside`
        self._aside: dict[str, npt.NDArray[Any]] = {}
        self.log = Log(1024)  # forks are many and live for some dozens of writes
        self.version: int = base.version
        self.columns: Mapping[str, Column] = _Patched(self)

    @property
    def schema(self) -> Schema:
        return self.base.schema

    @property
    def size(self) -> int:
        return self.base.size

    @property
    def keys(self) -> list[str]:
        return self.base.keys

    @property
    def shared(self) -> Mapping[str, Any]:
        return self.base.shared

    @property
    def epochs(self) -> dict[str, int]:
        return self.base.epochs

    @property
    def generation(self) -> int:
        self.hold()
        return self.base.generation

    @property
    def static_log(self) -> Log:
        return self.base.static_log

    @property
    def touched(self) -> IndexArray:
        """The rows that were written here."""
        return np.fromiter(self._slots, np.intp, len(self._slots))

    def fork(self) -> Fork:
        """A fork of this fork."""
        self.hold()
        return Fork(self)

    def hold(self) -> None:
        """ConflictError if any table below has moved on."""
        base = self.base
        if base.version != self._at:
            raise ConflictError("the table moved on under its fork", place="fork", next="fork again and redo the plan")
        if type(base) is Fork:  # each fork knows only the version of the table right below it
            base.hold()

    def unless_written(self) -> Table | Fork:
        """The table below while nothing is written here, because it says the same; else this fork."""
        self.hold()
        if self._slots:
            return self
        return self.base.unless_written() if type(self.base) is Fork else self.base

    def copy(self) -> Fork:
        """The same once more, to be written apart from this one."""
        other = Fork(self.base)
        other.write_many(self.touched, self.gather(self.schema.state, self.touched))
        return other

    def apart(self) -> Table:
        """The same rows as a table of its own: cheaper than a fork once dozens of rows are written.

        Looking at a whole column of a fork costs a copy, and each write makes that copy dearer.
        """
        self.hold()
        other = self.base.apart()
        touched = self.touched
        other.write_many(touched, self.gather(self.schema.state, touched))
        return other

    def at(self, row: int) -> tuple[Mapping[str, Column], int]:
        """Arrays that hold the state of a row, and its place in them; they hold until the next write."""
        slot = self._slots.get(row)
        if slot is None:
            self.hold()
            return self.base.at(row)
        return self._aside, slot

    def write(self, row: int, values: Mapping[str, Any] | RowDelta) -> None:
        """One row's new state, or only those of its cells that change; here only."""
        whole, places = (values.values, values.cells) if isinstance(values, RowDelta) else (values, NO_CELLS)
        self._refuse(row, row, whole, *places.values())
        slot = self._slots.get(row)
        if slot is None:
            slot = self._take_aside(row)
        aside = self._aside
        try:
            for name, value in whole.items():
                aside[name][slot] = value
            for place, cells in places.items():
                for name, value in cells.items():
                    aside[name][slot, place] = value
        except UNFIT as problem:
            raise unfit(self.schema, f"fork.{name}[{row}]", name, value, problem) from problem
        finally:  # some values may be in
            self.log.append(row)
            self.version += 1

    def write_many(self, index: IndexArray, values: Mapping[str, Any]) -> None:
        """New state of many rows, each column as long as the index."""
        if not len(index):
            return
        self._refuse(int(index.min()), int(index.max()), values)  # the extremes stand for all rows between them
        fresh = [row for row in dict.fromkeys(index.tolist()) if row not in self._slots]  # a row may stand in it twice
        if fresh:
            self._take_many_aside(np.array(fresh))
        slots = [self._slots[row] for row in index.tolist()]
        try:
            for name, value in values.items():
                self._aside[name][slots] = value
        except UNFIT as problem:
            raise unfit(self.schema, f"fork.{name}", name, value, problem) from problem
        finally:
            self.log.extend(index)
            self.version += 1

    def _refuse(self, first: int, last: int, *values: Mapping[str, Any]) -> None:
        self.hold()
        for row in (first, last):
            if not 0 <= row < self.size:
                raise InputError(f"there is no row {row}", place="fork", next=f"rows are 0 to {self.size - 1}")
        state = self.schema.state
        if unknown := [name for each in values for name in each.keys() - state]:
            message = f"only state columns can be written here, not {sorted(unknown)}"
            raise InputError(message, place="fork", next="write static columns in the table itself")

    def gather(self, names: Iterable[str], index: IndexArray) -> dict[str, Column]:
        """Copies of these columns at these rows, as they would be."""
        self.hold()
        gathered = self.base.gather(names, index)
        slots, rows = self._slots, index.tolist()
        here = [place for place, row in enumerate(rows) if row in slots]
        if not here:
            return gathered
        aside = [slots[rows[place]] for place in here]
        for name in gathered:
            if name in self._aside:
                gathered[name][here] = self._aside[name][aside]
        return gathered

    def column(self, name: str) -> Column:
        """One whole column as it would be; a copy where rows were written."""
        self.hold()
        column = self.base.columns[name]
        if name not in self._aside:
            return column
        patched = column.copy()
        patched[list(self._slots)] = self._aside[name][list(self._slots.values())]
        return patched

    def _take_aside(self, row: int) -> int:
        slot = self._with_room_for(1)
        for name, value in self.base.gather(self.schema.state, np.array([row])).items():
            self._aside[name][slot] = value[0]
        self._slots[row] = slot
        return slot

    def _take_many_aside(self, rows: IndexArray) -> None:
        slot = self._with_room_for(len(rows))
        for name, value in self.base.gather(self.schema.state, rows).items():
            self._aside[name][slot : slot + len(rows)] = value
        self._slots.update((row, place) for place, row in enumerate(rows.tolist(), slot))

    def _with_room_for(self, more: int) -> int:
        """The next free slot, after which as many more are free as asked for."""
        slot = len(self._slots)
        if slot + more > len(next(iter(self._aside.values()), ())):
            self._grow(max(8, 2 * slot, slot + more))  # doubling: growing costs the same per written row, however many
        return slot

    def _grow(self, room: int) -> None:
        for name in self.schema.state:
            column = self.base.columns[name]
            larger = np.empty((room, *column.shape[1:]), column.dtype)
            if name in self._aside:
                larger[: len(self._aside[name])] = self._aside[name]
            self._aside[name] = larger


class _Patched(Mapping[str, Any]):
    """A fork's columns, patched when they are looked at."""

    __slots__ = ("_fork",)

    def __init__(self, fork: Fork) -> None:
        self._fork = fork

    def __getitem__(self, name: str) -> Column:
        return self._fork.column(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._fork.base.columns)

    def __len__(self) -> int:
        return len(self._fork.base.columns)
