"""What a plugin is shown: the columns it declared, of some rows, and nothing else."""

from __future__ import annotations

from functools import lru_cache, partial
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, ClassVar

from bayplan.framework.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType

    from bayplan.framework.plugins import Column


class Rows:
    """Some rows of a table, one attribute per declared column.

    The rows may be all of the table's, the ones that changed, or hypothetical ones; an author never sees an index.
    Reading a column that was not declared is an error, because the framework would not know when to ask again.
    """

    __slots__ = ("size",)

    reads: ClassVar[tuple[str, ...]] = ()
    plugin: ClassVar[str] = "?"
    size: int

    def __len__(self) -> int:
        return self.size

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python and NumPy probe such names, and expect AttributeError where they are missing
            raise AttributeError(name)
        raise PluginError(
            self.plugin,
            f"reads column {name!r}, which it did not declare",
            next=f"add {name!r} to its `reads`, now {self.reads}",
        )

    def replace(self, **columns: Column) -> Rows:
        """The same rows in another state."""
        other = object.__new__(type(self))
        other.size = self.size
        for name in self.reads:
            setattr(other, name, columns.pop(name) if name in columns else getattr(self, name))
        if columns:
            raise PluginError(self.plugin, f"cannot replace {sorted(columns)}: it does not read them")
        return other


# attributes of Rows: a column of that name would hide them
RESERVED = frozenset({"size", "reads", "plugin", "replace"})

MOST_KINDS = 1024
"""Kinds of rows that are kept: some per plugin. A class costs more to make than a plugin to run, and each planner binds
the same plugins anew."""


@lru_cache(maxsize=MOST_KINDS)
def view_type(plugin: str, reads: tuple[str, ...]) -> type[Rows]:
    """A class of rows for one plugin: slots for what it declared, an error for everything else."""
    return type("Rows", (Rows,), {"__slots__": reads, "reads": reads, "plugin": plugin})


def view(kind: type[Rows], columns: Mapping[str, Column], size: int) -> Rows:
    """Rows of that kind, taken from `columns`."""
    rows = object.__new__(kind)
    rows.size = size
    for name in kind.reads:
        setattr(rows, name, columns[name])
    return rows


def viewer(kind: type[Rows]) -> Callable[[Mapping[str, Column], int], Rows]:
    """`view` for one kind, written out column by column: every plugin is shown rows in every cycle."""
    if not all(name.isidentifier() and not iskeyword(name) for name in kind.reads):  # cannot be written as `rows.NAME`
        return partial(view, kind)
    assignments = "".join(f"    rows.{name} = columns[{name!r}]\n" for name in kind.reads)
    names: dict[str, Any] = {"kind": kind, "new": object.__new__}
    source = f"def shown(columns, size):\n    rows = new(kind)\n    rows.size = size\n{assignments}    return rows\n"
    exec(_compiled(source), names)  # noqa: S102 (as dataclasses are made; the names were checked)
    shown: Callable[[Mapping[str, Column], int], Rows] = names["shown"]
    return shown


@lru_cache(maxsize=MOST_KINDS)
def _compiled(source: str) -> CodeType:
    return compile(source, "<rows>", "exec")
