"""Candidates as Python lists: for tables of a few dozen rows, where a NumPy call costs more than the rows do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.row_delta import RowDelta
from bayplan.framework.schema import both, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ListTable:
    """The same table in the other storage. The builder of a table chooses it, never the number of rows.

    Its plugins get and return lists. Nothing is kept between cycles: subjects are new each time (requests). Values may
    be written in place, or each request may bring a new table: what a scheduler works out belongs to the schema.
    """

    __slots__ = ("__weakref__", "columns", "keys", "schema", "shared", "version")  # fmt: skip

    def __init__(
        self,
        *,
        static: Mapping[str, Sequence[Any]] | None = None,
        state: Mapping[str, Sequence[Any]] | None = None,
        shared: Mapping[str, Any] | None = None,
        constants: Mapping[str, Any] | None = None,
        keys: Sequence[str] | None = None,
    ) -> None:
        static, state, constants = static or {}, state or {}, constants or {}
        shared = both(shared or {}, constants)
        self.schema = schema_of(tuple(static), tuple(state), tuple(shared), tuple(constants))
        self.columns: dict[str, list[Any]] = {name: list(values) for name, values in (*static.items(), *state.items())}
        self.shared: Mapping[str, Any] = dict(shared)
        size = len(next(iter(self.columns.values()), ()))
        self.keys: list[str] = list(keys) if keys is not None else [str(row) for row in range(size)]
        for name, column in self.columns.items():
            self._check(name, column)
        self.version = 0

    @property
    def size(self) -> int:
        return len(self.keys)

    def write(self, row: int, values: Mapping[str, Any] | RowDelta) -> None:
        """One row's new values, or only those of its cells that change."""
        if not 0 <= row < len(self.keys):
            raise InputError(f"there is no row {row}", place="table", next=f"rows are 0 to {self.size - 1}")
        names = values.names if isinstance(values, RowDelta) else values.keys()
        if unknown := names - self.columns.keys():
            raise InputError("is no column of this table", place=f"table.{min(unknown)}", next=self.schema.listed)
        if isinstance(values, RowDelta):
            values = values.on_row(lambda name: list(self.columns[name][row]))  # a copy: forks share the lists in cells
        for name, value in values.items():
            self.columns[name][row] = value
        self.version += 1

    def replace(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Whole columns at once, for the same rows: what a scrape of all of them brings."""
        if unknown := columns.keys() - self.columns.keys():
            raise InputError("is no column of this table", place=f"table.{min(unknown)}", next=self.schema.listed)
        # All columns are checked before any is put in place: an error leaves the table as it was.
        taken = {name: list(values) for name, values in columns.items()}
        for name, column in taken.items():
            self._check(name, column)
        self.columns.update(taken)
        self.version += 1

    def refresh(self, **shared: Any) -> None:
        """New values that all rows share."""
        if unknown := shared.keys() - (self.shared.keys() - self.schema.constants):
            place = f"table.{min(unknown)}"
            raise InputError("is not a shared value of this table", place=place, next=self.schema.listed)
        self.shared = {**self.shared, **shared}
        self.version += 1

    def fork(self) -> ListTable:
        """A copy: cheaper than anything cleverer at this size."""
        other = object.__new__(ListTable)
        # never changed in place, so shared
        other.schema, other.shared, other.keys = self.schema, self.shared, self.keys
        other.columns = {name: list(column) for name, column in self.columns.items()}
        other.version = self.version
        return other

    def _check(self, name: str, column: list[Any]) -> None:
        if len(column) != len(self.keys):
            message = f"has {len(column)} rows where the table has {len(self.keys)}"
            raise InputError(message, place=f"table.{name}", next="give each row one value")
