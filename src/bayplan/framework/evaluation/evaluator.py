"""A profile over a table of arrays: answers kept per class, redone only on rows that changed."""

from __future__ import annotations

from copy import copy
from functools import partial
from itertools import repeat
from operator import call
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import InputError, PluginError
from bayplan.framework.evaluation.classes import Classes, Kept, KeptBytes, unfolded
from bayplan.framework.evaluation.contributions import Seen
from bayplan.framework.evaluation.folding import Folding
from bayplan.framework.evaluation.row_loop import RowLoops
from bayplan.framework.evaluation.stages import Tally, add_scores, apply, ask_mask, take
from bayplan.framework.evaluation.totals import ArrayTotals
from bayplan.framework.evaluation.written_out import write_rows
from bayplan.framework.plugins import Depends

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import Column, Compiler, FloatArray, IndexArray
    from bayplan.framework.table import Table

_REFUSED = -np.inf  # as in `stages`: smaller than every sum of scores
_NOTHING: Mapping[str, float] = {}  # shared and never written
_new = tuple.__new__  # half the price of calling a NamedTuple
_WIDEST = 8  # bytes of the widest number that Python holds exactly


class Evaluator:
    """Gives what the plain definition gives, bit for bit (`definition.define`), and remembers.

    What STATIC and ROW plugins say is kept per class of asks: static sums, and totals as of a tick of the table's
    log. A written row is asked about again the next time the class is looked at; a written static column too, and
    then its static part as well; a new epoch of a shared value that a plugin reads redoes all rows. CYCLE and TABLE
    plugins are asked every time.
    """

    def __init__(
        self,
        binding: Binding,
        table: Table | Fork,
        *,
        budget: KeptBytes,
        tally: Tally,
        compiler: Compiler | None = None,
    ) -> None:
        self.binding = binding
        self.table = table
        self.tally = tally
        self.classes = Classes(budget)
        self.late_scores: list[tuple[tuple[Bound, ...], IndexArray | None, list[FloatArray]]] = []
        self._shared = binding.shared
        self._is_late = binding.late
        self._most = max(64, table.size // 2)  # with more changed rows, asking about all is as quick as gathering them
        self._loops = RowLoops(binding, compiler)
        self._written_out = write_rows(binding)
        self._steady = _read_later(binding)
        self._folding = Folding(binding, table, self._steady)
        self._readers: list[Callable[[int], Any]] = []
        self._read_at = -1  # the table's generation that they read
        self.input_types: list[Any] = []

    def active(self, ask: Hashable, cycle: Cycle) -> Evaluator:
        """The evaluator of the plugins that take part in a run: none of these can skip."""
        return self

    def totals(self, ask: Hashable, cycle: Cycle) -> ArrayTotals:
        """The sums of all rows, -inf where refused; they hold until the table's next write."""
        if not self.table.size:  # no row, no question: plugins are never asked about nothing
            return ArrayTotals([np.empty(0) for _ in self.binding.levels])
        kept = self.sync(ask)
        if kept.clamped:
            self.tally.known_clamped = kept.clamped
        return ArrayTotals(self._late(kept, ask, cycle) if self._is_late else kept.levels)

    def judge(self, ask: Hashable, index: IndexArray, state: Mapping[str, Column]) -> list[FloatArray]:
        """The sums of rows `index` as if their state were `state`: nothing is written, nothing to undo.

        The same row may stand in `index` many times, once for each thing that might happen to it.
        """
        if self._is_late:
            raise self.binding.late_error()
        if unknown := state.keys() - self.table.schema.state:
            message = f"only state can be supposed, not {sorted(unknown)}"
            raise InputError(message, place="judge", next="write other columns in the table itself")
        for name, column in state.items():
            if len(column) != len(index):
                raise InputError(
                    f"{len(column)} values for {len(index)} rows", place=f"judge.{name}", next="give one each"
                )
        if not len(index):
            return [np.empty(0) for _ in self.binding.levels]
        kept = self.sync(ask)
        stage = self.binding.row
        columns = self._gather(kept, (name for name in stage.columns if name not in state), index)
        columns.update((name, value) for name, value in state.items() if name in stage.columns)
        levels = [base[index] for base in kept.bases]
        apply(stage, ask, CLOSED, columns, len(index), levels, self.tally)
        return levels

    def sync(self, ask: Hashable) -> Kept:
        """What is kept for this class, brought up to date."""
        table = self.table
        try:
            kept = self.classes.get(ask)
        except TypeError as problem:
            message = f"{type(ask).__name__} cannot be a class of asks: {problem}"
            raise InputError(message, place="ask", next="hand over a frozen, hashable value") from problem
        if kept is None or kept.generation != table.generation:
            return self._first_sight(ask)
        try:
            # True: the static part of all rows is new, so the row part is redone for all
            whole = kept.static_tick != table.static_log.tick and self._redo_static(kept, ask)
            if self._shared and kept.epochs != self._epochs():
                whole, kept.loop = True, False  # loops hold shared values, so they are made anew too
            if whole:
                self._redo_rows(kept, ask, None)
            elif kept.tick != table.log.tick:
                self._redo_rows(kept, ask, table.log.since(kept.tick, self._most))
        except BaseException:  # half done is not done
            self.classes.drop(ask)
            raise
        if self.tally.skipped:  # whether a plugin is broken may change with any row: keep nothing, ask about all
            self.tally.skipped.clear()
            self.classes.drop(ask)
            return self._first_sight(ask)
        return kept

    def inputs(self, row: int) -> list[Any]:
        """The values from which the kept scorers' contributions for this row can be made again, later.

        One for each of the binding's inputs: a plain number, to become an array of its column's type again, or, where
        `input_types` has None, an array of that one row.
        """
        if self._read_at != self.table.generation:
            columns = [self.table.columns[name] for name in self.binding.inputs]
            self._readers = [column.item if _is_plain(column) else partial(_one_row, column) for column in columns]
            self.input_types = [column.dtype if _is_plain(column) else None for column in columns]
            self._read_at = self.table.generation
        return list(map(call, self._readers, repeat(row)))

    def seen(self, ask: Hashable, row: int) -> Seen:
        """What a record needs of a picked row, while it still is what it was."""
        skipped, late = self.tally.skipped, _NOTHING
        if self.late_scores:
            late = {}
            for uses, rows, scores in self.late_scores:
                # `rows` come from flatnonzero, so they are sorted
                place = row if rows is None else int(rows.searchsorted(row))
                for use, score in zip(uses, scores, strict=True):
                    late[use.name] = score.item(place)
        values = self.inputs(row)
        return _new(
            Seen,
            (self.binding, ask, values, self.input_types, self.table.shared, late, tuple(skipped) if skipped else ()),
        )

    def kept_for(self) -> tuple[Any, ...]:
        """What decides what is kept: evaluators of one table that are equal in it may share their classes."""
        static, row = self.binding.static, self.binding.row
        uses = (*static.producers, *static.filters, *static.scorers, *row.producers, *row.filters, *row.scorers)
        return (uses, self.binding.kept, self._steady)

    def sharing(self, binding: Binding) -> Evaluator:
        """An evaluator of other CYCLE and TABLE plugins that shares what is kept with this one."""
        # A shallow copy: `classes` is the same object, and that is what is shared.
        other = copy(self)
        other.__dict__.update(binding=binding, _is_late=binding.late, late_scores=[])
        return other

    def _first_sight(self, ask: Hashable) -> Kept:
        table = self.table
        bases, made = self._folding.static(ask) or self._static(ask)
        kept = Kept(bases, [np.empty(table.size) for _ in bases], made)
        self._redo_rows(kept, ask, None)
        kept.static_tick = table.static_log.tick
        kept.generation = table.generation
        if not self.tally.skipped:
            self.classes.put(ask, kept)
        return kept

    def _static(self, ask: Hashable) -> tuple[list[Any], dict[str, Any]]:
        """Static sums of all rows, and the columns that static producers made and later plugins read."""
        table, stage = self.table, self.binding.static
        columns: dict[str, Column] = {name: table.columns[name] for name in stage.columns}
        columns.update((name, table.shared[name]) for name in stage.shared)
        bases = [np.zeros(table.size) for _ in self.binding.levels]
        apply(stage, ask, CLOSED, columns, table.size, bases, self.tally)
        return bases, {name: np.array(columns[name]) for name in self._steady if name in columns}

    def _redo_static(self, kept: Kept, ask: Hashable) -> bool:
        """Redo the static part of rows whose static columns were written; True if that was all of them."""
        kept.unfold()
        stage, table = self.binding.static, self.table
        index = table.static_log.since(kept.static_tick, self._most)
        whole = index is None
        if index is None:
            index = np.arange(table.size)
        columns = table.gather(stage.columns, index)
        columns.update((name, table.shared[name]) for name in stage.shared)
        levels = [np.zeros(len(index)) for _ in kept.bases]
        apply(stage, ask, CLOSED, columns, len(index), levels, self.tally)
        for base, level in zip(kept.bases, levels, strict=True):
            base[index] = level
        for use in stage.producers:
            _put(kept.made, use, self._steady, index, columns)
        kept.static_tick = table.static_log.tick
        return whole

    def _redo_rows(self, kept: Kept, ask: Hashable, index: IndexArray | None) -> None:
        """Redo the row part of these rows, or of all."""
        kept.tick = self.table.log.tick
        if self._shared:
            kept.epochs = self._epochs()
        if index is None:
            self._redo_all(kept, ask)
        else:
            self._redo_some(kept, ask, index)  # a row may stand in it twice: cheaper than looking for it
        if self.tally.clamped:
            kept.clamped = {**kept.clamped, **self.tally.clamped}

    def _redo_some(self, kept: Kept, ask: Hashable, index: IndexArray) -> None:
        if not len(index):
            return
        if self._looped(kept, ask, index):
            return
        stage = self.binding.row
        columns = self._gather(kept, stage.columns, index)
        levels = self._written_out(ask, columns, kept.bases, index)
        if levels is None:
            levels = [base[index] for base in kept.bases]
            columns = self._gather(kept, stage.columns, index)
            apply(stage, ask, CLOSED, columns, len(index), levels, self.tally)
        for whole, level in zip(kept.levels, levels, strict=True):
            whole[index] = level
        for use in stage.producers if self.binding.kept else ():
            _put(kept.made, use, self.binding.kept, index, columns)

    def _looped(self, kept: Kept, ask: Hashable, index: IndexArray | None) -> bool:
        """Redo these rows, or all, in one loop; False where that does not pay, or cannot be."""
        table = self.table
        if not self._loops.possible or not self._loops.due(table.size if index is None else len(index)):
            return False
        loop = kept.loop
        if loop is False:
            loop = kept.loop = self._loops.loop(kept, ask, table)
        if loop is None:
            return False
        return loop.redo_all(kept, table) if index is None else loop.redo(kept, table, index)

    def _redo_all(self, kept: Kept, ask: Hashable) -> None:
        if self._looped(kept, ask, None):
            return
        folded = self._folding.rows(kept, ask)
        if folded is not None:
            kept.levels, made = folded
            kept.made |= made
            return
        kept.unfold()
        stage, table = self.binding.row, self.table
        columns: dict[str, Column] = {name: table.columns[name] for name in stage.columns}
        columns.update(kept.made)
        columns.update((name, table.shared[name]) for name in stage.shared)
        for whole, base in zip(kept.levels, kept.bases, strict=True):
            whole[:] = base
        apply(stage, ask, CLOSED, columns, table.size, kept.levels, self.tally)
        for name in self.binding.kept:
            if name in columns:
                kept.made[name] = np.array(columns[name])  # a copy: producers may answer with a view of the table

    def _gather(self, kept: Kept, names: Iterable[str], index: IndexArray) -> dict[str, Column]:
        stage = self.binding.row
        columns = self.table.gather(names, index)
        for name in stage.made:
            if name in kept.made:
                columns[name] = kept.made[name].take(index, 0)  # `take`, because `Folded` columns have it too
        for name in stage.shared:
            columns[name] = self.table.shared[name]
        return columns

    def _epochs(self) -> tuple[int, ...]:
        epochs = self.table.epochs
        return tuple([epochs[name] for name in self._shared])

    def _late(self, kept: Kept, ask: Hashable, cycle: Cycle) -> list[FloatArray]:
        """What must be asked in every cycle: CYCLE plugins on all rows, then TABLE plugins on the survivors."""
        binding, table = self.binding, self.table
        levels = [level.copy() for level in kept.levels]
        columns = self._late_columns(kept)
        self.late_scores = []
        scores = apply(binding.cycle, ask, cycle, columns, table.size, levels, self.tally)
        if scores is not None:
            self.late_scores.append((binding.cycle.scorers, None, scores))
        if not binding.tail and not binding.table:
            return levels
        rows = np.flatnonzero(levels[0] != _REFUSED)  # a refused row is -inf on every level, so the first level tells
        for use in binding.tail:
            if len(rows):
                rows = self._narrow(use, ask, cycle, columns, rows)
        sums = [level[rows] for level in levels]
        if binding.table and len(rows):
            shown = self._shown(columns, rows, _reads(binding.table.scorers))
            scores = add_scores(binding.table, ask, cycle, shown, len(rows), sums, self.tally, None)
            self.late_scores.append((binding.table.scorers, rows, scores))
        for level, total in zip(levels, sums, strict=True):
            level.fill(_REFUSED)
            level[rows] = total
        return levels

    def _late_columns(self, kept: Kept) -> dict[str, Column]:
        binding, table = self.binding, self.table
        names = _reads((*binding.cycle.producers, *binding.cycle.filters, *binding.cycle.scorers))
        names |= _reads((*binding.tail, *binding.table.scorers))
        columns: dict[str, Column] = {name: table.columns[name] for name in names & table.columns.keys()}
        columns.update((name, unfolded(made)) for name, made in kept.made.items() if name in names)
        columns.update((name, table.shared[name]) for name in names & table.shared.keys())
        return columns

    def _narrow(self, use: Bound, ask: Any, cycle: Cycle, columns: dict[str, Column], rows: IndexArray) -> IndexArray:
        try:
            seen = cycle if use.depends >= Depends.CYCLE else CLOSED
            mask = ask_mask(use, ask, self._shown(columns, rows, set(use.reads)), len(rows), seen)
        except PluginError as problem:
            self.tally.forgive(use, problem)
            return rows
        narrowed: IndexArray = rows[mask]
        return narrowed

    def _shown(self, columns: Mapping[str, Column], rows: IndexArray, names: set[str]) -> dict[str, Column]:
        shared = self.table.shared
        names = names & columns.keys()  # a skipped producer made none
        return {name: columns[name] if name in shared else take(columns[name], rows) for name in names}


def _put(
    made: dict[str, Column], use: Bound, names: Iterable[str], index: IndexArray, columns: dict[str, Column]
) -> None:
    """Put what a producer made for some rows among what it made for all."""
    for name in names:
        if name not in columns or name not in use.plugin.produces:
            continue
        whole, some = made[name], columns[name]
        if some.shape[1:] != whole.shape[1:]:
            message = f"made {name!r} {some.shape[1:]} a row where it was {whole.shape[1:]} before"
            raise PluginError(use.name, message, next="let the form of a column not depend on which rows are shown")
        if some.dtype != whole.dtype:  # numbers of another kind, longer words: neither may be cut off
            whole = made[name] = whole.astype(np.promote_types(whole.dtype, some.dtype))
        whole[index] = some


def _is_plain(column: Column) -> bool:
    """Whether a value comes back unchanged from a Python number."""
    # booleans, integers, floats
    return bool(column.ndim == 1 and column.dtype.kind in "biuf" and column.dtype.itemsize <= _WIDEST)


def _one_row(column: Column, row: int) -> Column:
    return column[row : row + 1].copy()  # a slice keeps the dimension; a copy, because the row may be written


def _read_later(binding: Binding) -> tuple[str, ...]:
    """The columns made by STATIC producers that later plugins read; the others are not worth the memory."""
    made = {name for use in binding.static.producers for name in use.plugin.produces}
    row, cycle, table = binding.row, binding.cycle, binding.table
    readers = (*row.producers, *row.filters, *row.scorers, *cycle.producers, *cycle.filters, *cycle.scorers)
    return tuple(sorted(made & _reads((*readers, *binding.tail, *table.scorers))))


def _reads(uses: Iterable[Bound]) -> set[str]:
    return {name for use in uses for name in use.reads}
