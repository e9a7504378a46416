"""A profile over a table of lists: asked anew each time, with one narrowing after the row-by-row filters."""

from __future__ import annotations

from contextlib import suppress
from itertools import compress
from typing import TYPE_CHECKING, Any

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.binding import MOST_PARTS
from bayplan.framework.evaluation.contributions import Seen
from bayplan.framework.evaluation.list_code import OTHER, is_writable, said_in_lists, write_lists
from bayplan.framework.evaluation.list_stages import added, ask_mask, ask_scores, both, produce, take
from bayplan.framework.evaluation.preparation import Preparation
from bayplan.framework.evaluation.totals import ListTotals
from bayplan.framework.plugins import Depends
from bayplan.framework.twins import has_twin, twin_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.evaluation.list_code import ListCode, Said
    from bayplan.framework.evaluation.stages import Tally
    from bayplan.framework.list_table import ListTable
    from bayplan.framework.plugins import Column
    from bayplan.framework.twins import Twin

_new = tuple.__new__  # half the price of calling a NamedTuple
MOST_CHOICES = 8
"""Choices of twins with code of their own; a profile with more calls its plugins, so that trying codes stays cheap."""


class ListProgram:
    """What a profile asks of every table of one schema: worked out and written out once, whatever the values.

    Which twins there are may depend on the ask; there is code for each choice of them that was met.
    """

    __slots__ = ("_parts", "_twinned", "binding", "codes", "head", "mixed", "preparation", "scored", "scorers")

    def __init__(self, binding: Binding, *, prepared: bool = False) -> None:
        """`prepared`: of its plugins, the ones that skip are left out already."""
        self.binding = binding
        preparation = Preparation(binding)
        self.preparation = preparation if preparation and not prepared else None
        self._parts: dict[tuple[Bound, ...], ListProgram] = {}
        late = set(binding.tail)  # filters that look at other rows are asked after all others
        self.head = tuple((use, use.depends < Depends.CYCLE) for use in binding.filters if use not in late)
        self.scorers = tuple((use, use.depends < Depends.CYCLE) for use in binding.scorers)
        read = {name for use in binding.scorers for name in use.reads}
        self.scored = tuple(name for name in read if name not in binding.schema.shared)
        self.mixed = bool(binding.schema.shared or binding.producers)
        # filters behind one that looks at other rows are called in their turn
        uses = () if binding.observed else (*(use for use in binding.filters if use not in late), *binding.scorers)
        self._twinned = tuple(use for use in uses if use.depends < Depends.CYCLE and has_twin(use.plugin))
        self.codes: list[ListCode] = []

    def written_for(self, ask: Hashable, shared: Mapping[str, Any]) -> ListCode:
        """The code for the twins of an ask for which none of `codes` is."""
        twins: dict[Bound, Twin | None] = {}
        for use in self._twinned if len(self.codes) < MOST_CHOICES else ():
            with suppress(Exception):  # a plugin is right without its twin, and the contract check tells what is wrong
                twin = twin_of(use.plugin, ask, {name: shared[name] for name in use.reads if name in shared})
                if twin is None or is_writable(twin):
                    twins[use] = twin
        code = write_lists(self.binding, twins)
        self.codes.append(code)
        return code

    def part(self, skips: tuple[Bound, ...]) -> ListProgram:
        """The program without these plugins."""
        part = self._parts.get(skips)
        if part is None:
            if len(self._parts) >= MOST_PARTS:
                self._parts.clear()
            part = self._parts[skips] = ListProgram(self.binding.without(skips), prepared=True)
        return part


class ListEvaluator:
    """The same algebra in the other storage. Scorers see the survivors only, which row-by-row ones cannot tell.

    It holds little more than its table, so that a table that is new with every request costs about a microsecond more
    than one that is kept; the work is in the program, which all tables of one schema share.
    """

    __slots__ = ("_columns", "_given", "_said", "binding", "program", "rows", "table", "tally")

    def __init__(self, program: ListProgram, table: ListTable, *, tally: Tally) -> None:
        self.program = program
        self.binding = program.binding
        self.table = table
        self.tally = tally
        self.rows: Sequence[int] = ()  # of the last totals; below, what the scorers said of them
        self._said: Said = said_in_lists
        self._given: Sequence[Any] = ()
        self._columns: dict[str, Column] = table.columns

    def active(self, ask: Hashable, cycle: Cycle) -> ListEvaluator:
        """The evaluator of the plugins that take part for this ask in this cycle; itself where none can skip."""
        table, preparation = self.table, self.program.preparation
        if preparation is None or not table.keys:  # no row, no question: `prepare` need not think of empty tables
            return self
        skips = preparation.skips(ask, table, None, cycle, self.tally)
        return ListEvaluator(self.program.part(skips), table, tally=self.tally)

    def totals(self, ask: Hashable, cycle: Cycle) -> ListTotals:
        """The sums of the rows that pass."""
        table, program = self.table, self.program
        size = len(table.keys)
        if not size:
            self.rows = ()
            return ListTotals((), [[] for _ in self.binding.levels])
        if program.preparation is not None:
            return self.active(ask, cycle).totals(ask, cycle)
        columns: dict[str, Column] = {**table.columns, **table.shared} if program.mixed else table.columns
        found: Any = OTHER  # what a code answers to an ask whose twins are others than its own
        for code in program.codes:
            found = code.asked(ask, columns, size, cycle)
            if found is not OTHER:
                break
        else:
            code = program.written_for(ask, table.shared)
            found = code.asked(ask, columns, size, cycle)
        if found is None or found is OTHER:
            return self._with_care(ask, cycle, columns, size)
        self.rows, self._given, levels = found
        self._said, self._columns = code.said, columns
        return ListTotals(self.rows, levels)

    def seen(self, ask: Hashable, row: int) -> Seen:
        """What a record needs of a picked row: here all that was said is at hand."""
        skipped = self.tally.skipped
        late = self._said(self._given, self._columns, row, self.rows.index(row))
        return _new(Seen, (self.binding, ask, None, (), self.table.shared, late, tuple(skipped) if skipped else ()))

    def _with_care(self, ask: Hashable, cycle: Cycle, columns: dict[str, Column], size: int) -> ListTotals:
        """The same, plugin by plugin: a broken one is named, or left out; what is out of range is clamped."""
        table = self.table
        if self.binding.producers:
            columns = self._produce(ask, cycle, columns, size)
        rows: Sequence[int] = range(size)
        mask = self._mask(ask, cycle, columns, size)
        if mask is not None and False in mask:  # where all rows pass, `range` stays and no column is copied
            rows = list(compress(rows, mask))
        if self.binding.tail:
            rows, mask = self._tail(ask, cycle, columns, rows), None
        self.rows, self._said, self._given = rows, said_in_lists, ()
        if not rows:
            return ListTotals(rows, [[] for _ in self.binding.levels])
        if len(rows) != size:
            shown = {n: columns[n] for n in self.program.scored if n in columns}
            for name, column in shown.items():
                shown[name] = take(column, rows) if mask is None else list(compress(column, mask))
            columns = {**shown, **table.shared} if table.shared else shown
        return ListTotals(rows, self._sums(ask, cycle, columns, len(rows)))

    def _produce(self, ask: Any, cycle: Cycle, columns: dict[str, Column], size: int) -> dict[str, Column]:
        for use in self.binding.producers:
            try:
                produce(use, ask, columns, size, cycle if use.depends >= Depends.CYCLE else CLOSED)
            except PluginError as problem:
                self.tally.forgive(use, problem)
        return columns

    def _mask(self, ask: Any, cycle: Cycle, columns: dict[str, Column], size: int) -> list[bool] | None:
        mask: list[bool] | None = None
        for use, closed in self.program.head:
            try:
                got = ask_mask(use, ask, columns, size, CLOSED if closed else cycle)
            except PluginError as problem:
                self.tally.forgive(use, problem)
            else:
                mask = got if mask is None else both(mask, got)
        return mask

    def _tail(self, ask: Any, cycle: Cycle, columns: dict[str, Column], rows: Sequence[int]) -> Sequence[int]:
        for use in self.binding.tail:
            if not rows:
                break
            try:
                shown = {
                    n: c if n in self.table.shared else [c[r] for r in rows]
                    for n, c in columns.items()
                    if n in use.reads
                }
                mask = ask_mask(use, ask, shown, len(rows), cycle if use.depends >= Depends.CYCLE else CLOSED)
            except PluginError as problem:
                self.tally.forgive(use, problem)
            else:
                rows = list(compress(rows, mask))
        return rows

    def _sums(self, ask: Any, cycle: Cycle, columns: dict[str, Column], size: int) -> list[list[float]]:
        levels = [[0.0] * size for _ in self.binding.levels]
        kept: list[list[float]] = []
        self._given = kept
        for use, closed in self.program.scorers:
            try:
                scores = ask_scores(use, ask, columns, size, CLOSED if closed else cycle)
                levels[use.level] = added(use, levels[use.level], scores, self.tally)
            except PluginError as problem:
                self.tally.forgive(use, problem)
                scores = [0.0] * size  # a scorer that is left out adds nothing, but keeps its place in the record
            kept.append(scores)
        return levels
