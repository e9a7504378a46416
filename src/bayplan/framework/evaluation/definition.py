"""What a profile means, said plainly: every plugin on every row it may see, nothing kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.framework.cycle import CLOSED
from bayplan.framework.errors import PluginError
from bayplan.framework.evaluation.preparation import active_part
from bayplan.framework.evaluation.stages import Tally, ask_mask, ask_scores, produce, take
from bayplan.framework.plugins import Depends

if TYPE_CHECKING:
    from collections.abc import Hashable

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.evaluation.binding import Binding
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import Column, FloatArray
    from bayplan.framework.table import Table


def define(binding: Binding, table: Table | Fork, ask: Hashable, cycle: Cycle) -> list[FloatArray]:
    """The sums of all rows, one array a level, -inf where refused.

    Filters in profile order, a TABLE filter on what is left then; scorers in the order of addition (static, row,
    cycle, table; each in profile order), on the final survivors, one by one in float64. Plugins that skip are as if
    they were not there.
    """
    size = table.size
    binding = active_part(binding, table, ask, cycle, Tally()) if size else binding
    columns: dict[str, Column] = {**table.columns, **table.shared}
    for use in binding.producers if size else ():
        produce(use, ask, columns, size, _cycle(use.depends, cycle))
    alive = np.arange(size)
    for use in binding.filters:
        if len(alive):
            alive = alive[ask_mask(use, ask, _at(columns, table, alive), len(alive), _cycle(use.depends, cycle))]
    sums = [np.zeros(len(alive)) for _ in binding.levels]
    for use in binding.scorers:
        if len(alive):
            got = ask_scores(use, ask, _at(columns, table, alive), len(alive), _cycle(use.depends, cycle))
            scores = got.astype(np.float64) / use.scale
            if np.isnan(scores).any():
                raise PluginError(use.name, f"answered NaN for {int(np.isnan(scores).sum())} of {len(alive)} rows")
            sums[use.level] += np.clip(scores, 0.0, 1.0) * use.weight
    levels = [np.full(size, -np.inf) for _ in binding.levels]
    for level, total in zip(levels, sums, strict=True):
        level[alive] = total
    return levels


def _at(columns: dict[str, Column], table: Table | Fork, rows: Column) -> dict[str, Column]:
    return {name: column if name in table.shared else take(column, rows) for name, column in columns.items()}


def _cycle(depends: Depends, cycle: Cycle) -> Cycle:
    return cycle if depends >= Depends.CYCLE else CLOSED
