"""What changes in one row of a table: only the cells that do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Set

NO_CELLS: Mapping[int, Mapping[str, Any]] = {}  # shared and never written


class RowDelta:
    """New values of a row. Cells that are not named stay as they are.

    `values` has one value a column. `cells` is for columns with several places a row (one a card, say): by place, the
    new value in each column, so that a booking of one card of eight writes one eighth of the row.
    """

    __slots__ = ("cells", "values")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.cells: dict[int, dict[str, Any]] = {}

    def __repr__(self) -> str:
        return f"RowDelta({self.values}, {self.cells})"

    @property
    def names(self) -> Set[str]:
        """All columns that it changes."""
        return self.values.keys() | {name for cells in self.cells.values() for name in cells}

    def at(self, place: int) -> dict[str, Any]:
        """The new values at a place, to be added to."""
        cells = self.cells.get(place)
        if cells is None:
            cells = self.cells[place] = {}
        return cells

    def on(self, name: str, value: Any) -> Any:
        """The column's value of a row, a number or a list, with this change; a list is changed in place."""
        if name in self.values:  # a whole value replaces all its cells
            return self.values[name]
        for place, cells in self.cells.items():
            if name in cells:
                value[place] = cells[name]
        return value

    def on_row(self, read: Callable[[str], Any]) -> dict[str, Any]:
        """All of it as whole values: `read` gives a column's list of the row, which is changed in place."""
        return {name: self.values[name] if name in self.values else self.on(name, read(name)) for name in self.names}
