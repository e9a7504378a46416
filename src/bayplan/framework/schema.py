"""The columns of a table, by how often they change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.plugins import Depends
from bayplan.framework.rows import RESERVED

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Schema:
    """The names of a table's columns, by how often they change; `constants` are the shared values that never do."""

    static: frozenset[str]
    state: frozenset[str]
    shared: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for name in self.names:
            if not is_name(name):
                raise InputError("is no name for a column", place=repr(name), next="use a plain identifier")
        # the union is smaller where a name is used twice
        if len(self.static) + len(self.state) + len(self.shared) != len(self.names):
            raise InputError("one name is used for two kinds of column", place="table", next="rename one of them")
        if not self.constants <= self.shared:
            raise InputError("a constant is no shared value", place="table", next="list it among `shared` too")

    @property
    def names(self) -> frozenset[str]:
        return self.static | self.state | self.shared

    @property
    def listed(self) -> str:
        """The names for an error's next step."""
        return f"there are: {', '.join(sorted(self.names))}"

    def depends(self, name: str) -> Depends | None:
        """What an answer that reads this column depends on; None if there is no such column."""
        if name in self.static or name in self.constants:
            return Depends.STATIC
        return Depends.ROW if name in self.state or name in self.shared else None


@lru_cache(maxsize=256)  # far more than the shapes of tables that a process has
def schema_of(
    static: tuple[str, ...], state: tuple[str, ...], shared: tuple[str, ...], constants: tuple[str, ...]
) -> Schema:
    """The schema of columns with these names; it is checked once, because a table may be new with every request."""
    return Schema(frozenset(static), frozenset(state), frozenset(shared), frozenset(constants))


def both(shared: Mapping[str, Any], constants: Mapping[str, Any]) -> dict[str, Any]:
    """All values that rows share; a name is one or the other."""
    if twice := sorted(shared.keys() & constants.keys()):
        raise InputError("is both a shared value and a constant", place=f"table.{twice[0]}", next="rename one of them")
    return {**shared, **constants}


def is_name(name: str) -> bool:
    """Whether rows can show a column of this name."""
    return name.isidentifier() and not name.startswith("_") and name not in RESERVED  # `_` begins names of Python's own


UNFIT = (KeyError, IndexError, ValueError, TypeError, OverflowError)  # what an array raises for a value it cannot hold


def unfit(schema: Schema, place: str, name: str, value: Any, problem: Exception) -> InputError:
    """The error for a value that does not go into a column, or for a column that is not there."""
    if name not in schema.static | schema.state:
        return InputError("is no column of this table", place=place, next=schema.listed)
    return InputError(f"cannot take {value!r}: {problem}", place=place, next="give a value like the column's others")
