"""Refusals of all rows of a table, from one row of each kind: equal rows are refused for equal reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.evaluation.folding import matter
from bayplan.framework.evaluation.looks import distinct_rows
from bayplan.framework.fork import Fork
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import Refusal
from bayplan.framework.table import Table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.plugins import Column, IndexArray
    from bayplan.framework.table import AnyTable


class OutOfOrderError(Exception):
    """Reasons speak of rows in another order than that of the table."""


class OneOfEach:
    """One row of each kind of a table's rows, as a table; `which` says of what kind each row of the table is."""

    def __init__(self, table: Table | Fork, rows: IndexArray, which: IndexArray, names: Sequence[str]) -> None:
        self.columns: dict[str, Column] = table.gather(names, rows)
        self.shared = table.shared
        self.size = len(rows)
        self.which = which

    def spread(self, refusals: Sequence[Refusal]) -> Iterator[Refusal]:
        """What was said of the kinds, said of all rows."""
        for refusal in refusals:
            kinds = np.asarray(refusal.rows, np.intp)
            if (np.diff(kinds) <= 0).any():  # spreading below gives rows in the order of the table only
                raise OutOfOrderError
            places = np.full(self.size, -1, np.intp)  # -1: no reason speaks of this kind
            places[kinds] = np.arange(len(kinds))
            found = places[self.which]
            rows: Any = np.flatnonzero(found >= 0)
            yield Refusal(refusal.filter, rows, refusal.reasons.spread(found[rows]), refusal.filter_cured_by)


def one_of_each(binding: Binding, table: AnyTable, ask: Hashable, cycle: Cycle) -> OneOfEach | None:
    """None where most rows differ in what the filters read, or where a filter compares rows with each other."""
    if not isinstance(table, Table | Fork) or any(use.depends is Depends.TABLE for use in binding.filters):
        return None
    uses = (*binding.producers, *binding.filters)
    read = {name for use in uses for name in (*use.reads, *use.explain_view.reads)}
    names = tuple(name for name in table.columns if name in read)
    told = {name for use in binding.filters for name in set(use.explain_view.reads).difference(use.reads)}
    decisive = {*told, *(name for use in uses for name in _decisive(use, ask, cycle))}
    rows, which = distinct_rows(table, np.arange(table.size), tuple(name for name in names if name in decisive))
    # else spreading saves too little
    return OneOfEach(table, rows, which, names) if 2 * len(rows) <= table.size else None


def _decisive(use: Bound, ask: Hashable, cycle: Cycle) -> set[str]:
    """The columns that can change what a plugin says to this ask in this cycle."""
    unread = getattr(use.plugin, "unread_in_cycle", None)
    return set(matter((use,), ask, use.reads)).difference(() if unread is None else unread(ask, cycle))
