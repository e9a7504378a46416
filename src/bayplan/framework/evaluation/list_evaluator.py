"""A profile over a table of lists: asked anew each time, with one narrowing after the row-by-row filters."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.binding import MOST_PARTS
from bayplan.framework.evaluation.contributions import Seen
from bayplan.framework.evaluation.list_stages import added, ask_mask, ask_scores, both, produce, take
from bayplan.framework.evaluation.preparation import Preparation, TableFacts
from bayplan.framework.evaluation.totals import ListTotals
from bayplan.framework.evaluation.written_out import write_lists
from bayplan.framework.plugins import Depends

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.evaluation.stages import Tally
    from bayplan.framework.list_table import ListTable
    from bayplan.framework.plugins import Column


_new = tuple.__new__  # half the price of calling a NamedTuple


class ListProgram:
    """What a profile asks of every table of one schema: worked out and written out once, whatever the values."""

    __slots__ = ("_parts", "binding", "head", "mixed", "preparation", "scored", "scorers", "written_out")

    def __init__(self, binding: Binding, *, prepared: bool = False) -> None:
        """`prepared`: of its plugins, the ones that skip are left out already."""
        self.binding = binding
        preparation = Preparation(binding)
        self.preparation = preparation if preparation and not prepared else None
        self._parts: dict[tuple[Bound, ...], ListProgram] = {}
        late = set(binding.tail)
        self.head = tuple((use, use.depends < Depends.CYCLE) for use in binding.filters if use not in late)
        self.scorers = tuple((use, use.depends < Depends.CYCLE) for use in binding.scorers)
        read = {name for use in binding.scorers for name in use.reads}
        self.scored = tuple(name for name in read if name not in binding.schema.shared)
        self.mixed = bool(binding.schema.shared or binding.producers)
        self.written_out = write_lists(binding)

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

    __slots__ = ("binding", "program", "rows", "scores", "table", "tally")

    def __init__(self, program: ListProgram, table: ListTable, *, tally: Tally) -> None:
        self.program = program
        self.binding = program.binding
        self.table = table
        self.tally = tally
        self.rows: Sequence[int] = ()  # those that the last totals are about, and
        self.scores: list[list[float]] = []  # what each scorer said of them, not yet clamped

    def active(self, ask: Hashable, cycle: Cycle) -> ListEvaluator:
        """The evaluator of the plugins that take part for this ask in this cycle; itself where none can skip."""
        table, preparation = self.table, self.program.preparation
        if preparation is None or not table.keys:  # no row, no question: `prepare` need not think of empty tables
            return self
        skips = preparation.skips(ask, table, TableFacts(table), cycle, self.tally)
        return ListEvaluator(self.program.part(skips), table, tally=self.tally)

    def totals(self, ask: Hashable, cycle: Cycle) -> ListTotals:
        """The sums of the rows that pass."""
        table = self.table
        size = len(table.keys)
        if not size:
            self.rows, self.scores = (), []
            return ListTotals((), [[] for _ in self.binding.levels])
        program = self.program
        if program.preparation is not None:
            return self.active(ask, cycle).totals(ask, cycle)
        columns: dict[str, Column] = {**table.columns, **table.shared} if program.mixed else table.columns
        if program.written_out is not None:
            found = program.written_out(ask, columns, size, cycle)
            if found is not None:
                self.rows, self.scores, levels = found
                return ListTotals(self.rows, levels)
        return self._with_care(ask, cycle, columns, size)

    def seen(self, ask: Hashable, row: int) -> Seen:
        """What a record needs of a picked row: here all that was said is at hand."""
        skipped = self.tally.skipped
        late = (self.rows.index(row), self.scores)
        return _new(Seen, (self.binding, ask, None, (), self.table.shared, late, tuple(skipped) if skipped else ()))

    def _with_care(self, ask: Hashable, cycle: Cycle, columns: dict[str, Column], size: int) -> ListTotals:
        """The same, plugin by plugin: who is broken is named, or left out; what is out of range is clamped."""
        table = self.table
        if self.binding.producers:
            columns = self._produce(ask, cycle, columns, size)
        rows: Sequence[int] = range(size)
        mask = self._mask(ask, cycle, columns, size)
        if mask is not None and False in mask:
            rows = list(compress(rows, mask))
        if self.binding.tail:
            rows, mask = self._tail(ask, cycle, columns, rows), None
        self.rows = rows
        if not rows:
            self.scores = []
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
        self.scores = kept = []
        for use, closed in self.program.scorers:
            try:
                scores = ask_scores(use, ask, columns, size, CLOSED if closed else cycle)
                levels[use.level] = added(use, levels[use.level], scores, self.tally)
            except PluginError as problem:
                self.tally.forgive(use, problem)
                scores = [0.0] * size
            kept.append(scores)
        return levels
