"""One loop over changed rows, into which the twins of all row plugins of a profile are written.

A redo of a few changed rows over arrays is some forty calls, each of which costs as much for one row as for a hundred.
Where every row plugin has a twin for the ask, the same is one loop over the rows: as plain Python for a few rows, and
through a compiler that the caller brings for any number of them. Both add the same numbers in the same order as the
definition. What is out of the ordinary (a score out of range, an error) ends the loop, and the rows are asked over
arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.evaluation.function_text import TextError
from bayplan.framework.evaluation.looks import Folded
from bayplan.framework.evaluation.loop_text import LoopText, plain_function
from bayplan.framework.fork import Fork
from bayplan.framework.table import Table
from bayplan.framework.twins import twin_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.evaluation.classes import Kept
    from bayplan.framework.plugins import Column, Compiler, IndexArray
    from bayplan.framework.twins import Twin

MOST_PLAIN_ROWS = 32
"""Rows up to which plain Python beats NumPy, divided by the number of columns with two dimensions that the loop reads.

Measured with placement, where 35 us pay for any number of rows over arrays: 0.6 us a row with one such column, 2.3 with
two, 3.4 with three."""
REDOS_BEFORE_LOOP = 16
"""A profile that was asked less often than this about changed rows does not pay for reading the text of its twins."""
_MOST_INT = 1 << 63  # compiled code counts in 64 bits
_NUMBERS = frozenset(map(np.dtype, ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "f8")))
"""What means the same in plain Python, compiled code and NumPy.

Unsigned numbers of 64 bits become floats beside signed ones in compiled code; NumPy rounds floats of 32 bits."""


class _Code:
    """The loop for one choice of functions and of columns with two dimensions."""

    __slots__ = ("kernel", "most_plain", "plain", "text", "tried", "tried_afresh")

    def __init__(self, text: LoopText) -> None:
        self.text = text
        self.plain = plain_function(text)
        self.most_plain = MOST_PLAIN_ROWS // max(1, text.wide)  # a wide column is turned into a list for each row
        self.kernel: Any = None
        self.tried = self.tried_afresh = False


class RowLoops:
    """The loops of one profile, by the functions of its twins; forks of a table share those of the table."""

    def __init__(self, binding: Binding, compiler: Compiler | None) -> None:
        self._compiler = compiler
        self._binding = binding
        self._uses = _needed(binding)
        self._codes: dict[Any, _Code | None] = {}
        self._lists: dict[int, tuple[Any, list[Any]]] = {}  # by id, because arrays cannot be hashed
        self._every: IndexArray = np.arange(0)
        self._redos = 0
        has_twins = all(hasattr(use.plugin, "twin") for use in self._uses)
        self.possible = bool(self._uses) and has_twins and not binding.kept  # it makes no columns that outlive it
        self._observed = binding.observed

    def due(self, size: int) -> bool:
        """Whether changed rows have been redone often enough for a loop to pay; counts this redo.

        Never while an observer is attentive: the loop calls no plugin that it could time.
        """
        if self._observed is not None and self._observed.attentive():
            return False
        self._redos += 1
        return self._is_compiled() or (size <= MOST_PLAIN_ROWS and self._redos > REDOS_BEFORE_LOOP)

    def loop(self, kept: Kept, ask: Hashable, table: Table | Fork) -> RowLoop | None:
        """The loop for a class of asks; None where a twin is missing, or cannot be written."""
        twins = self._twins(ask, table)
        if twins is None:
            return None
        wide = frozenset(name for twin in twins.values() for name in twin.reads or () if _is_wide(name, kept, table))
        key = (tuple((twin.function, twin.reads) for twin in twins.values()), wide)
        if key not in self._codes:
            self._codes[key] = self._written(twins, wide)
        code = self._codes[key]
        if code is None:
            return None
        return RowLoop(code, self, [each for twin in twins.values() for each in twin.constants])

    def kernel(self, code: _Code) -> Any:
        """The compiled loop, where it is time for it; None without a compiler, or where it cannot compile this."""
        if not code.tried and self._compiler is not None and self._is_compiled():
            code.tried = True
            code.kernel = self._compiler.compile(code.text.kernel())
        return code.kernel

    def kernel_afresh(self, code: _Code) -> Any:
        """The loop compiled once more after an error; None where that was tried before."""
        code.kernel = None  # so that later redos do not meet the same error
        if self._compiler is not None and not code.tried_afresh:
            code.tried_afresh = True
            code.kernel = self._compiler.compile(code.text.kernel(), afresh=True)
        return code.kernel

    def weights(self) -> list[float]:
        """What each row scorer's answer is multiplied with."""
        return [use.weight for use in self._binding.row.scorers]

    def every(self, size: int) -> IndexArray:
        """The numbers of all rows."""
        if len(self._every) != size:
            self._every = np.arange(size)
        return self._every

    def listed(self, array: Any) -> list[Any]:
        """An array among constants as plain Python reads it: classes share it, so it is turned over once."""
        known = self._lists.get(id(array))
        if known is None:
            known = self._lists[id(array)] = (array, array.tolist())  # the array too, so that its id stays its own
        return known[1]

    def _is_compiled(self) -> bool:
        return self._compiler is not None and self._redos > self._compiler.after

    def _twins(self, ask: Hashable, table: Table | Fork) -> dict[Bound, Twin] | None:
        found, shared = {}, table.shared
        for use in self._uses:
            try:
                twin = twin_of(use.plugin, ask, {name: shared[name] for name in use.reads if name in shared})
            except Exception:
                return None  # asked over arrays, a broken plugin is told as always
            if twin is None:
                return None
            found[use] = twin
        return found

    def _written(self, twins: Mapping[Bound, Twin], wide: frozenset[str]) -> _Code | None:
        try:
            return _Code(LoopText(self._binding, twins, wide))
        except TextError:
            return None


class RowLoop:
    """A profile's loop for one class of asks, with the arguments that stay the same from one redo to the next."""

    __slots__ = ("_arrays", "_code", "_constants", "_levels", "_loops", "_numbers", "_plain")

    def __init__(self, code: _Code, loops: RowLoops, constants: list[Any]) -> None:
        self._code, self._loops, self._constants = code, loops, constants
        self._numbers = [loops.listed(each) if isinstance(each, np.ndarray) else each for each in constants]
        self._levels: Any = None
        self._plain: tuple[Any, ...] | None = None
        self._arrays: tuple[Any, ...] | None = None

    def redo(self, kept: Kept, table: Table | Fork, index: IndexArray) -> bool:
        """Redo these rows; False where it cannot, and then they are to be asked over arrays."""
        size = len(index)
        kernel = self._loops.kernel(self._code)
        if kernel is None and size > self._code.most_plain:
            return False
        if not isinstance(table, Table):
            self._bind(kept, table.gather(self._code.text.columns, index), table)
        # Arrays of a table are written in place, so that arguments hold until `kept` gets other levels. With other
        # bases it gets another loop (`Kept.unfold`).
        elif kept.levels is not self._levels:
            self._bind(kept, table.columns, table)
        is_table = isinstance(table, Table)
        if kernel is not None and self._arrays is not None:
            return self._called(kernel, index if is_table else np.arange(size), index)  # gathered columns begin at 0
        if self._plain is None or size > self._code.most_plain:
            return False
        rows = index.tolist()
        try:
            return self._code.plain(rows if is_table else range(size), rows, *self._plain)
        except Exception:
            return False  # asked over arrays, a broken plugin is told as always

    def redo_all(self, kept: Kept, table: Table | Fork) -> bool:
        """Redo all rows, where compiled code is at hand; a fork has no columns of its own to do it on."""
        kernel = self._loops.kernel(self._code)
        if kernel is None or not isinstance(table, Table):
            return False
        self._bind(kept, table.columns, table)
        every = self._loops.every(table.size)
        return self._arrays is not None and self._called(kernel, every, every)

    def _called(self, kernel: Any, places: IndexArray, rows: IndexArray) -> bool:
        try:
            return bool(kernel(places, rows, *(self._arrays or ())))
        except Exception:  # what a compiler cannot compile or load, it says when it is called
            kernel = self._loops.kernel_afresh(self._code)
            return kernel is not None and self._called(kernel, places, rows)

    def _bind(self, kept: Kept, columns: Mapping[str, Column], table: Table | Fork) -> None:
        """Work out the arguments anew."""
        text, made = self._code.text, kept.made
        held = [columns[name] for name in text.columns]
        under = [made[name] for name in text.made] if all(name in made for name in text.made) else None
        self._levels, self._plain, self._arrays = kept.levels, None, None
        if under is None or not all(map(_is_number, (*held, *map(_values, under)))):
            return
        ground = kept.bases[0].which if isinstance(kept.bases[0], Folded) else self._loops.every(table.size)
        shared = [table.shared[name] for name in text.shared]
        weights = self._loops.weights()
        bases, under = [_values(base) for base in kept.bases], [_values(column) for column in under]
        self._plain = (
            ground.item, *map(_reader, (*held, *under)), *shared, *map(_reader, bases), *kept.levels, *weights,
            *self._numbers,
        )  # fmt: skip
        if all(map(_is_compilable, (*shared, *self._constants))):
            self._arrays = (ground, *held, *under, *shared, *bases, *kept.levels, *weights, *self._constants)


def _needed(binding: Binding) -> tuple[Bound, ...]:
    """The row plugins that decide: what a producer makes only for explanations, it need not make here."""
    stage = binding.row
    deciding = (*stage.filters, *stage.scorers)
    wanted, makers = {name for use in deciding for name in use.reads}, []
    for use in reversed(stage.producers):  # backwards: a producer may be needed only by a later one
        if not wanted.isdisjoint(use.plugin.produces):
            makers.append(use)
            wanted.update(use.reads)
    return (*reversed(makers), *deciding)


def _is_wide(name: str, kept: Kept, table: Table | Fork) -> bool:
    """Whether a column that the loop reads has two dimensions."""
    while isinstance(table, Fork):
        table = table.base
    column = table.columns[name] if name in table.columns else kept.made.get(name)
    return column is not None and bool(_values(column).ndim > 1)


def _values(column: Any) -> Column:
    return column.values if isinstance(column, Folded) else column


def _reader(column: Column) -> Any:
    """What plain Python reads a value with: one-dimensional columns by their `item`."""
    return column if column.ndim > 1 else column.item


def _is_number(column: Column) -> bool:
    return column.dtype in _NUMBERS


def _is_compilable(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return _is_number(value)
    return isinstance(value, bool | float) or (isinstance(value, int) and -_MOST_INT <= value < _MOST_INT)
