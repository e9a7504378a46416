"""How many copies of an ask each worker holds, from what its filters say of many copies at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.evaluation.classes import unfolded
from bayplan.placement.cards.usable import COLUMNS as USABLE, usable_cards

if TYPE_CHECKING:
    import numpy.typing as npt

    from bayplan.framework.evaluation.classes import Kept
    from bayplan.framework.evaluation.evaluator import Evaluator
    from bayplan.framework.fork import Fork
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask

UNCHANGED = frozenset({"status"})
"""State that no booking changes: a filter that reads nothing else of a row's state says the same of every copy."""


def worker_rooms(evaluator: Evaluator, ask: Ask, most: int) -> npt.NDArray[np.int64] | None:
    """The number of copies, at most `most`; None where some filter cannot say it, so that copies must be foreseen.

    A filter that reads what bookings change says it by `copies(ask, rows)`.
    """
    table, schema = evaluator.table, evaluator.table.schema
    kept = evaluator.sync(ask)
    rows: Any = _AllRows(ask, table, kept)
    rooms = np.where(kept.levels[0] != -np.inf, most, 0).astype(np.int64)
    for use in evaluator.binding.row.filters:
        if set(use.reads) <= schema.static | schema.shared | UNCHANGED:
            continue
        count = getattr(use.plugin, "copies", None)
        copies = None if count is None else count(ask, rows)
        if copies is None:
            return None
        rooms = np.minimum(rooms, copies)
    return np.maximum(rooms, 0)  # an amount that is not known is negative


class _AllRows:
    """All rows of a table: its columns, its shared values, and which cards an ask may use."""

    def __init__(self, ask: Ask, table: Table | Fork, kept: Kept) -> None:
        self._ask, self._table, self._kept, self.size = ask, table, kept, table.size

    def __getattr__(self, name: str) -> Any:
        value = self._value(name)
        setattr(self, name, value)  # a fork patches a column whenever it is looked at
        return value

    def _value(self, name: str) -> Any:
        made = self._kept.made.get(name)
        if made is not None:
            return unfolded(made)
        if name in USABLE:  # no plugin of the strategy reads it later, so the evaluator did not keep it
            return usable_cards(self._ask, self)[name]
        shared = self._table.shared
        return shared[name] if name in shared else self._table.columns[name]
