"""Rows that are picked together: all from one group, the best one that has enough of them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import InputError, PluginError
from bayplan.framework.evaluation import list_stages, stages
from bayplan.framework.evaluation.binding import bind
from bayplan.framework.evaluation.group_members import members_of
from bayplan.framework.evaluation.preparation import Preparation, TableFacts
from bayplan.framework.evaluation.totals import ListTotals
from bayplan.framework.list_table import ListTable
from bayplan.framework.plugins import Depends
from bayplan.framework.profile import Profile
from bayplan.framework.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.evaluation.group_members import GroupMembers
    from bayplan.framework.evaluation.stages import Tally
    from bayplan.framework.evaluation.totals import Totals
    from bayplan.framework.plugins import Column, FloatArray, Want
    from bayplan.framework.table import AnyTable

ROWS_LEFT = "group_rows_left"
"""A column that scorers of groups may read beside those of the table: how many rows of the group are left."""

_FEW = 64
"""Rows of a group that are kept as lists; about there an array of the whole table becomes the cheaper form."""

SUM = "group_sum_"
"""In front of a column's name: the sum of that column over the best rows of the group, as many as are desired."""


class GroupRows(NamedTuple):
    """The rows of one group: the ones that passed all filters, the others, and how many were wanted.

    `column` and `value` are None where rows were wanted of the whole table.
    """

    column: str | None
    value: Any
    passed: tuple[int, ...]
    refused: tuple[int, ...]
    desired: int
    minimum: int

    @property
    def enough(self) -> bool:
        """Whether the minimum is there."""
        return len(self.passed) >= self.minimum

    @property
    def message(self) -> str:
        """One sentence, made when it is read."""
        place = "the table" if self.column is None else f"{self.column} {self.value}"
        passed, size = len(self.passed), len(self.passed) + len(self.refused)
        least = "" if self.minimum == self.desired else f", at least {self.minimum}"
        return f"{place}: {passed} of {size} rows passed, {self.desired} wanted{least}"


def groups_of(table: AnyTable, survivors: Sequence[int], want: Want) -> tuple[GroupRows, ...]:
    """All groups, in the order of their first rows."""
    alive = set(map(int, survivors))
    values = [None] * table.size if want.group is None else _listed(_column(table, want.group))
    members: dict[Any, list[int]] = {}
    for row, value in enumerate(values):
        members.setdefault(value, []).append(row)
    return tuple(
        GroupRows(
            want.group,
            value,
            tuple(row for row in rows if row in alive),
            tuple(row for row in rows if row not in alive),
            want.desired,
            want.minimum,
        )
        for value, rows in members.items()
    )


def one_group(totals: Totals, table: AnyTable, want: Want, ask: Hashable, cycle: Cycle, tally: Tally) -> Totals | None:
    """The totals narrowed to the best group of those with enough rows.

    Enough is `desired`; where no group has that many, `minimum`; None where not even that. The best group is the one
    whose best row is best, or that `want.ranked_by` scores highest: then equal groups keep the order of the table.
    """
    members = members_of(totals, _column(table, want.group or ""), want.desired)
    order: Sequence[int] = range(len(members.best))
    if want.ranked_by and len(order) > 1:
        order = _ranked(members, table, want, ask, cycle, tally)
    left = members.left
    for enough in (want.desired, want.minimum):  # a worse group with all rows beats a better one with the minimum
        for place in order:
            if left[place] >= enough:
                return _narrowed(totals, members.rows(place))
    return None


def _narrowed(totals: Totals, rows: list[int]) -> Totals:
    """The totals of these rows alone; of a few rows as lists, which are cheaper than arrays of the whole table."""
    if isinstance(totals, ListTotals) or len(rows) > _FEW:
        return totals.only(rows)
    ordered = sorted(rows)
    return ListTotals(ordered, [level[ordered].tolist() for level in totals.levels])


def _ranked(
    members: GroupMembers, table: AnyTable, want: Want, ask: Hashable, cycle: Cycle, tally: Tally
) -> Sequence[int]:
    """The places of the groups, best first by their own scorers, which are shown the best row of each."""
    whole, preparation = _binding(table.schema, want.ranked_by)
    binding = whole.without(preparation.skips(ask, table, TableFacts(table), cycle, tally)) if preparation else whole
    columns = _shown(members, table, binding)
    size = len(members.best)
    storage: Any = list_stages if isinstance(table, ListTable) else stages
    levels = [np.zeros(size) for _ in binding.levels]
    for use in binding.scorers:
        try:
            levels[use.level] += use.weight * _scores(use, storage, ask, columns, size, cycle, tally)
        except PluginError as problem:
            tally.forgive(use, problem)
    # Equal groups keep the order of the table: the one with the lowest row comes first.
    keys: list[Any] = [members.lowest, *(-level for level in reversed(levels))]  # the last key counts first
    order: list[int] = np.lexsort(keys).tolist()
    return order


def _shown(members: GroupMembers, table: AnyTable, binding: Binding) -> dict[str, Column]:
    """The columns that scorers of groups read: of the best row of each group, and of the group."""
    storage: Any = list_stages if isinstance(table, ListTable) else stages
    columns: dict[str, Column] = dict(table.shared)
    for name in {name for use in binding.scorers for name in use.reads}:
        if name in table.columns:
            columns[name] = storage.take(table.columns[name], members.best)
        elif name == ROWS_LEFT:
            columns[name] = members.left if storage is list_stages else np.asarray(members.left)
        elif name.startswith(SUM):
            columns[name] = members.sums(table.columns[name.removeprefix(SUM)])
    return columns


def _scores(
    use: Bound, storage: Any, ask: Hashable, columns: dict[str, Column], size: int, cycle: Cycle, tally: Tally
) -> FloatArray:
    seen = cycle if use.depends >= Depends.CYCLE else CLOSED
    scores = np.asarray(storage.ask_scores(use, ask, columns, size, seen), np.float64)
    if storage is stages and use.scale != 1:  # lists are scaled already
        scores = scores / use.scale
    if scores.min() >= 0.0 and scores.max() <= 1.0:  # neither holds of NaN
        return scores
    if np.isnan(scores).any():
        raise PluginError(use.name, f"answered NaN for {int(np.isnan(scores).sum())} of {size} groups")
    if outside := int(((scores < 0.0) | (scores > 1.0)).sum()):
        tally.clamped[use.name] = tally.clamped.get(use.name, 0) + outside
    clamped: FloatArray = np.clip(scores, 0.0, 1.0)
    return clamped


def _binding(schema: Schema, ranked_by: tuple[Any, ...]) -> tuple[Binding, Preparation]:
    try:
        return _bound(schema, ranked_by)
    except TypeError:  # a scorer that cannot be hashed is bound each time
        return _bound.__wrapped__(schema, ranked_by)


@lru_cache(maxsize=64)  # far more than the ways to rank groups that a process has
def _bound(schema: Schema, ranked_by: tuple[Any, ...]) -> tuple[Binding, Preparation]:
    sums = {f"{SUM}{name}" for name in schema.static | schema.state}
    known = Schema(schema.static, schema.state | {ROWS_LEFT, *sums}, schema.shared, schema.constants)
    no_picker: Any = None  # a profile needs a picker, but this one only scores
    binding = bind(Profile("ranked_by", no_picker, scorers=ranked_by), known)
    return binding, Preparation(binding)


def _column(table: AnyTable, name: str) -> Column:
    if name not in table.columns:
        raise InputError(f"there is no column {name!r} to group by", place="want.group", next=table.schema.listed)
    column = table.columns[name]
    if getattr(column, "ndim", 1) > 1:
        step = "group by a column with one value a row"
        raise InputError(f"the column {name!r} has several values a row", place="want.group", next=step)
    return column


def _listed(column: Column) -> list[Any]:
    listed: list[Any] = column.tolist() if isinstance(column, np.ndarray) else column
    return listed
