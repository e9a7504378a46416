"""The first question of a class, asked of distinct rows only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.looks import Folded, Looks, can_fold
from bayplan.framework.evaluation.stages import Tally, apply
from bayplan.framework.table import Table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from bayplan.framework.evaluation.binding import Binding, Bound
    from bayplan.framework.evaluation.classes import Kept
    from bayplan.framework.plugins import Column, FloatArray

    Sums = list[FloatArray]


class Folding:
    """One profile on one table. Every answer may be None: then all rows are to be asked.

    This happens where most rows are distinct, and where a plugin is broken or leaves its scale, because the report
    counts rows. Plugins are pure, so asking twice does no harm.
    """

    __slots__ = ("_binding", "_steady", "_table")

    def __init__(self, binding: Binding, table: Any, steady: tuple[str, ...]) -> None:
        self._binding, self._steady = binding, steady
        self._table: Table | None = None
        if isinstance(table, Table):
            names = (*binding.static.columns, *binding.row.columns)
            self._table = table if can_fold(table, names) else None

    def static(self, ask: Hashable) -> tuple[list[Folded], dict[str, Folded]] | None:
        """Static sums, and the columns that static producers made and later plugins read."""
        looks = self._grounds(ask)
        if looks is None:
            return None
        stage = self._binding.static
        columns = {**looks.columns(), **self._ignored(stage.columns, looks)}
        columns.update((name, self._shared(name)) for name in stage.shared)
        bases = [np.zeros(looks.size) for _ in self._binding.levels]
        if not self._ask(stage, ask, columns, looks.size, bases):
            return None
        made = {name: Folded(np.array(columns[name]), looks.which) for name in self._steady if name in columns}
        return [Folded(base, looks.which) for base in bases], made

    def rows(self, kept: Kept, ask: Hashable) -> tuple[Sums, dict[str, Column]] | None:
        """The sums of all rows, and the columns that row producers made and later plugins read."""
        looks = self._looks(kept)
        if looks is None:
            return None
        stage, ground = self._binding.row, looks.grounds()
        columns: dict[str, Column] = looks.columns()
        columns.update((name, kept.made[name].values[ground]) for name in stage.made if name in kept.made)
        columns.update((name, self._shared(name)) for name in stage.shared)
        levels = [base.values[ground] for base in kept.bases]
        if not self._ask(stage, ask, columns, looks.size, levels):
            return None
        made = {name: np.array(columns[name])[looks.which] for name in self._binding.kept if name in columns}
        return [level[looks.which] for level in levels], made

    def _ask(self, stage: Any, ask: Hashable, columns: dict[str, Column], size: int, levels: Sums) -> bool:
        # A strict tally of its own: a broken plugin raises here, and is reported when all rows are asked.
        tally = Tally()
        try:
            apply(stage, ask, CLOSED, columns, size, levels, tally)
        except PluginError:
            return False
        return not tally.clamped

    def _grounds(self, ask: Hashable) -> Looks | None:
        """The looks of rows in the static columns that matter to this ask."""
        table, stage = self._table, self._binding.static
        if table is None:
            return None
        names = matter((*stage.producers, *stage.filters, *stage.scorers), ask, stage.columns)
        known: Looks | None = table.looks.get(names)
        if known is None or known.static_tick != table.static_log.tick:
            known = table.looks[names] = Looks(table, names)
        # with more looks, folding saves less than spreading costs
        return known if 2 * known.size <= table.size else None

    def _looks(self, kept: Kept) -> Looks | None:
        """The looks of rows in all that the row stage reads: its columns, and what was made of the static ones."""
        table = self._table
        if table is None or not isinstance(kept.bases[0], Folded):
            return None
        names, ground = self._binding.row.columns, kept.bases[0].which
        # the looks hold `ground`, so its id is not used again
        known: Looks | None = table.looks.get((id(ground), names))
        if known is None:
            known = table.looks[id(ground), names] = Looks(table, names, ground)
        known.sync(table)
        return known if 2 * known.size <= table.size else None  # as above

    def _ignored(self, names: Iterable[str], looks: Looks) -> dict[str, Column]:
        """Columns that are read, whatever they say: those of any row of the look."""
        table = self._table
        assert table is not None  # noqa: S101 (looks come from a table)
        known = looks.columns()
        return table.gather((name for name in names if name not in known), looks.first)

    def _shared(self, name: str) -> Any:
        return self._table.shared[name] if self._table is not None else None


def matter(uses: Iterable[Bound], ask: Hashable, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that can change what these plugins say to this ask."""
    read: set[str] = set()
    for use in uses:
        unread = getattr(use.plugin, "unread", None)
        read.update(set(use.reads).difference(unread(ask)) if unread is not None else use.reads)
    return tuple(name for name in columns if name in read)
