"""The columns of a table, by how often they change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayplan.framework.errors import InputError
from bayplan.framework.plugins import Depends
from bayplan.framework.rows import RESERVED


@dataclass(frozen=True, slots=True)
class Schema:
    """The names of a table's columns, by how often they change."""

    static: frozenset[str]
    state: frozenset[str]
    shared: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for name in self.names:
            if not is_name(name):
                raise InputError("is no name for a column", place=repr(name), next="use a plain identifier")
        if len(self.static) + len(self.state) + len(self.shared) != len(self.names):
            raise InputError("a name stands for two kinds of column", place="table", next="rename one of them")

    @property
    def names(self) -> frozenset[str]:
        return self.static | self.state | self.shared

    @property
    def listed(self) -> str:
        """The names for an error's next step."""
        return f"there are: {', '.join(sorted(self.names))}"

    def depends(self, name: str) -> Depends | None:
        """What an answer that reads this column depends on; None if there is no such column."""
        if name in self.static:
            return Depends.STATIC
        return Depends.ROW if name in self.state or name in self.shared else None


def is_name(name: str) -> bool:
    """Whether rows can show a column of this name."""
    return name.isidentifier() and not name.startswith("_") and name not in RESERVED


UNFIT = (KeyError, ValueError, TypeError, OverflowError)  # what an array raises for a value it cannot hold


def unfit(schema: Schema, place: str, name: str, value: Any, problem: Exception) -> InputError:
    """The error for a value that does not go into a column, or for a column that is not there."""
    if name not in schema.static | schema.state:
        return InputError("is no column of this table", place=place, next=schema.listed)
    return InputError(f"cannot take {value!r}: {problem}", place=place, next="give a value like the column's others")
