"""Everything about every candidate: each failing check with its numbers, each score with its parts.

The same plugin objects that decide are asked; nothing is derived a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation import list_stages, stages
from bayplan.framework.evaluation.cures import cures_of, derived_cures
from bayplan.framework.evaluation.equal_rows import OutOfOrderError, one_of_each
from bayplan.framework.evaluation.explanation import Explanation
from bayplan.framework.evaluation.groups import groups_of
from bayplan.framework.evaluation.preparation import active_part
from bayplan.framework.evaluation.stages import Tally
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import ONE, Depends
from bayplan.framework.reasons import NOT_EVALUATED, Reasons, Refusal
from bayplan.framework.rows import view

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.plugins import Column, IndexArray, Want
    from bayplan.framework.table import AnyTable


def explain(
    binding: Binding,
    table: AnyTable,
    ask: Hashable,
    cycle: Cycle,
    *,
    tally: Tally | None = None,
    scored: bool = True,
    want: Want = ONE,
) -> Explanation:
    """Run every filter on every row, also after a first refusal; score what passes.

    A TABLE filter judges the rows that reached it, and no other: those are `not-evaluated` by it. Plugins are asked
    anew whether they take part.
    """
    tally = tally or Tally()
    binding = active_part(binding, table, ask, cycle, tally) if table.size else binding
    # Scores are given row by row, so that only refusals can be told once for equal rows.
    explanation = None if scored else _of_each_kind(binding, table, ask, cycle)
    if explanation is None:
        explanation = _of_every_row(binding, table, ask, cycle, tally, scored=scored)
    if want is not ONE:
        explanation.groups = groups_of(table, explanation.survivors, want)
    return explanation


def _of_every_row(
    binding: Binding, table: AnyTable, ask: Hashable, cycle: Cycle, tally: Tally, *, scored: bool
) -> Explanation:
    look = _Look(binding, table, ask, cycle, tally)
    refusals = list(look.refusals())
    survivors = look.survivors()
    if not scored:
        return _unscored(binding, table, refusals, survivors)
    scores, levels = look.scores(survivors)
    notes = look.notes(survivors)
    return Explanation(
        table.keys, refusals, survivors, binding.scorers, scores, levels, notes, _filters(binding), binding.inactive
    )


def _unscored(binding: Binding, table: AnyTable, refusals: Sequence[Refusal], survivors: Sequence[int]) -> Explanation:
    sums = [[0.0] * len(survivors)]  # one level of zeros, so that survivors keep the order of the table
    return Explanation(
        table.keys, refusals, survivors, (), [], sums, filters=_filters(binding), inactive=binding.inactive
    )


def _filters(binding: Binding) -> list[str]:
    return [use.name for use in (binding.whole or binding).filters]


def _of_each_kind(binding: Binding, table: AnyTable, ask: Hashable, cycle: Cycle) -> Explanation | None:
    """The same without scores, asked about one row of each kind; None where that would not save work.

    Where a plugin is broken all rows are asked, because the report counts rows.
    """
    each = one_of_each(binding, table, ask, cycle)
    if each is None:
        return None
    look = _Look(binding, each, ask, cycle, Tally())  # strict: a broken plugin raises, and then all rows are asked
    try:
        refusals = list(each.spread(list(look.refusals())))
    except (PluginError, OutOfOrderError):
        return None
    survivors: Any = np.flatnonzero(look.alive[each.which])
    return _unscored(binding, table, refusals, survivors)


class _Look:
    """One pass over a table in explain mode."""

    def __init__(self, binding: Binding, table: Any, ask: Hashable, cycle: Cycle, tally: Tally) -> None:
        self.binding, self.table, self.ask, self.cycle, self.tally = binding, table, ask, cycle, tally
        self.storage: Any = list_stages if isinstance(table, ListTable) else stages
        self.columns: dict[str, Column] = {**table.columns, **table.shared}
        self.alive = np.ones(table.size, np.bool_)  # an array even for lists: it is written by row numbers
        for use in binding.producers if table.size else ():
            try:
                self.storage.produce(use, ask, self.columns, table.size, self._cycle(use))
            except PluginError as problem:
                tally.forgive(use, problem)

    def refusals(self) -> Iterator[Refusal]:
        for use in self.binding.filters if self.table.size else ():
            try:
                yield from self._table_filter(use) if use.depends is Depends.TABLE else self._row_filter(use)
            except PluginError as problem:
                self.tally.forgive(use, problem)

    def survivors(self) -> Any:
        rows = np.flatnonzero(self.alive)
        return rows if self.storage is stages else rows.tolist()

    def scores(self, rows: Sequence[int]) -> tuple[list[Column], list[Column]]:
        """Clamped scores of these rows, scorer by scorer, and their sums level by level."""
        columns, size = self._shown(rows), len(rows)
        clamped: list[Column] = []
        sums = [np.zeros(size) for _ in self.binding.levels]
        for use in self.binding.scorers:
            score = np.zeros(size)
            if size:
                try:
                    score = self._score(use, columns, size)
                except PluginError as problem:
                    self.tally.forgive(use, problem)
            clamped.append(score)
            sums[use.level] += use.weight * score
        return clamped, list(sums)

    def notes(self, rows: Sequence[int]) -> dict[int, Sequence[str]]:
        """What scorers that have a `note` say of these rows."""
        found: dict[int, Sequence[str]] = {}
        for place, use in enumerate(self.binding.scorers if len(rows) else ()):
            if hasattr(use.plugin, "note"):
                try:
                    shown = self._shown(rows, use.explain_view.reads)
                    found[place] = noted(use, self.ask, shown, len(rows), self._cycle(use))
                except PluginError as problem:
                    self.tally.forgive(use, problem)
        return found

    def _score(self, use: Bound, columns: Mapping[str, Column], size: int) -> Column:
        got = np.asarray(self.storage.ask_scores(use, self.ask, columns, size, self._cycle(use)), np.float64)
        if self.storage is stages and use.scale != 1:  # lists are scaled already
            got = got / use.scale
        if np.isnan(got).any():
            raise PluginError(use.name, "answered NaN")
        return np.clip(got, 0.0, 1.0)

    def _row_filter(self, use: Bound) -> Iterator[Refusal]:
        mask = self.storage.ask_mask(use, self.ask, self.columns, self.table.size, self._cycle(use))
        yield from self._refused(use, self.storage.refused_rows(mask))

    def _table_filter(self, use: Bound) -> Iterator[Refusal]:
        reached = self.survivors()
        missed: Any = np.flatnonzero(~self.alive)
        if len(missed):
            text = "an earlier filter refused it before this one could look"
            yield Refusal(use.name, missed, Reasons(NOT_EVALUATED, text=text))
        if len(reached):
            mask = self.storage.ask_mask(use, self.ask, self._shown(reached), len(reached), self.cycle)
            yield from self._refused(use, self.storage.take(reached, self.storage.refused_rows(mask)))

    def _refused(self, use: Bound, rows: Sequence[int]) -> Iterator[Refusal]:
        if len(rows):
            self.alive[rows] = False
            yield from self._reasons(use, rows)

    def _reasons(self, use: Bound, rows: Sequence[int]) -> list[Refusal]:
        """The filter's reasons; its name where it gives none, or where it is broken and that is forgiven."""
        if hasattr(use.plugin, "explain"):
            try:
                shown = self._shown(rows, use.explain_view.reads)
                told = explained(use, self.ask, shown, len(rows), self._cycle(use))
            except PluginError as problem:
                self.tally.forgive(use, problem)
            else:
                cures = self._cures(use)
                return [Refusal(use.name, _among(rows, reasons, self.storage), reasons, cures) for reasons in told]
        return [Refusal(use.name, rows, Reasons(use.name), self._cures(use))]

    def _cures(self, use: Bound) -> tuple[str, ...]:
        """The events that could cure this filter's refusals; where it is broken, whatever follows from its columns."""
        try:
            return cures_of(use, self.ask, self.binding)
        except Exception as problem:
            self.tally.forgive(use, stages.broken(use, problem))
            return derived_cures(use, self.binding)

    def _shown(self, rows: Sequence[int], names: Sequence[str] | None = None) -> Mapping[str, Column]:
        wanted = self.columns if names is None else names
        return {
            name: self.columns[name] if name in self.table.shared else self.storage.take(self.columns[name], rows)
            for name in wanted
        }

    def _cycle(self, use: Bound) -> Any:
        return self.cycle if use.depends >= Depends.CYCLE else CLOSED


def explained(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> list[Reasons]:
    """What a filter says of `size` refused rows: at least one thing of each."""
    try:
        told = use.plugin.explain(ask, view(use.explain_view, columns, size), cycle)
    except PluginError as problem:
        raise PluginError(use.name, problem.message, next=problem.next) from problem
    except Exception as problem:
        raise PluginError(use.name, f"raised {type(problem).__name__} in explain: {problem}") from problem
    several = list(told) if isinstance(told, list | tuple) else [told]
    spoken = np.zeros(size, np.bool_)  # several reasons may speak of one row, so counting would not tell
    for reasons in several:
        spoken[_spoken_of(use, reasons, size)] = True
    if not spoken.all():
        raise PluginError(use.name, f"explained {int(spoken.sum())} of {size} refused rows")
    return several


def noted(use: Bound, ask: Any, columns: Mapping[str, Column], size: int, cycle: Any) -> list[str]:
    """What a scorer says of `size` rows beside its score: one text each, empty where there is nothing to say."""
    try:
        told = list(use.plugin.note(ask, view(use.explain_view, columns, size), cycle))
    except Exception as problem:
        raise PluginError(use.name, f"raised {type(problem).__name__} in note: {problem}") from problem
    if len(told) != size or not all(isinstance(text, str) for text in told):
        raise PluginError(use.name, f"noted {len(told)} values where {size} texts are expected")
    return told


def _spoken_of(use: Bound, reasons: Any, size: int) -> IndexArray:
    """The places of the rows of which these reasons speak, all of them if they do not say."""
    if not isinstance(reasons, Reasons):
        raise PluginError(use.name, f"explained with a {type(reasons).__name__} where Reasons are expected")
    everywhere = np.arange(size)
    try:
        places: IndexArray = everywhere if reasons.places is None else everywhere[np.asarray(reasons.places)]
    except IndexError as problem:
        raise PluginError(use.name, f"explained rows that are not among the {size} refused: {problem}") from problem
    for name, length in reasons.lengths().items():
        if length != len(places):
            raise PluginError(use.name, f"explained {len(places)} rows with {length} values of {name!r}")
    return places


def _among(rows: Sequence[int], reasons: Reasons, storage: Any) -> Sequence[int]:
    """The rows of which these reasons speak."""
    if reasons.places is None:
        return rows
    some: Sequence[int] = storage.take(rows, np.asarray(reasons.places))
    return some
