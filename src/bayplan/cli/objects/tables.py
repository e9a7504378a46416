"""Tables as the server answers them, and how they are printed: at once, or row by row while objects change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.cli.layout import cells
from bayplan.cli.output import Sheet, draw, heading
from bayplan.cli.text import GAP, one_line, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SENTENCES = frozenset({"MESSAGE", "REASON", "CONDITIONS", "LABELS"})
"""Columns whose cells may be wrapped on a narrow terminal."""
_NONE = "<none>"


@dataclass(slots=True)
class ObjectTable:
    """The rows of one kind, with the columns that are shown."""

    header: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, document: dict[str, Any], *, wide: bool, everywhere: bool, prefix: str = "") -> list[tuple[str, ...]]:
        """The rows of a Table, which are kept and returned; `prefix` stands before names where kinds are mixed."""
        columns = document.get("columnDefinitions") or ()
        shown = [place for place, each in enumerate(columns) if wide or not each.get("priority")]
        if columns:
            before = ("NAMESPACE",) if everywhere else ()
            self.header = (*before, *(str(columns[place]["name"]).upper() for place in shown))
        new = [_row(each, shown, everywhere=everywhere, prefix=prefix) for each in document.get("rows") or ()]
        self.rows += new
        return new

    def print(self, *, headers: bool = True) -> None:
        """All rows, fitted to a terminal or aligned in a pipe."""
        sentences = tuple(name for name in self.header if name in _SENTENCES)
        if headers:
            draw(Sheet(self.header, self.rows, sentences=sentences))
        else:
            RunningTable().rows(self.rows)


def _row(row: dict[str, Any], shown: Sequence[int], *, everywhere: bool, prefix: str) -> tuple[str, ...]:
    values = [_cell(row["cells"][place]) for place in shown]
    if prefix and values:
        values[0] = f"{prefix}/{values[0]}"
    metadata = (row.get("object") or {}).get("metadata") or {}
    return (*((str(metadata.get("namespace", "")),) if everywhere else ()), *values)


def _cell(value: Any) -> str:
    if value is None or value == "":
        return _NONE
    return str(value).lower() if isinstance(value, bool) else str(value)


class RunningTable:
    """A table whose rows come one after another: columns only grow, and lines that are printed stay as they are."""

    def __init__(self) -> None:
        self._widths: list[int] = []

    def header(self, names: Sequence[str], rows: Iterable[Sequence[str]] = ()) -> None:
        """The names of the columns, with room for these rows."""
        listed = list(rows)
        for row in (names, *listed):
            self._grow(row)
        heading(self._line(names))
        self.rows(listed)

    def rows(self, rows: Iterable[Sequence[str]]) -> None:
        """More rows."""
        listed = [tuple(map(one_line, row)) for row in rows]
        for row in listed:
            self._grow(row)
        write("".join(f"{self._line(row)}\n" for row in listed))

    def _grow(self, row: Sequence[str]) -> None:
        wanted = [cells(one_line(each)) for each in row]
        self._widths += [0] * (len(wanted) - len(self._widths))
        self._widths = [max(pair) for pair in zip(self._widths, wanted, strict=True)]

    def _line(self, row: Sequence[str]) -> str:
        padded = (cell + " " * (width - cells(cell)) for cell, width in zip(row, self._widths, strict=True))
        return GAP.join(padded).rstrip()
