"""How many copies of an ask each worker holds, from what its filters say of many copies at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.evaluation.classes import unfolded
from bayplan.placement.cards.usable import COLUMNS as USABLE, usable_cards

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from bayplan.framework.evaluation.classes import Kept
    from bayplan.framework.evaluation.evaluator import Evaluator
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import BoolArray, Column, IndexArray
    from bayplan.framework.table import Table
    from bayplan.placement.asks.ask import Ask

    Rooms = npt.NDArray[np.int64]

UNCHANGED = frozenset({"status"})
"""State that no booking changes: a filter that reads nothing else of a row's state says the same of every copy."""


def worker_rooms(evaluator: Evaluator, ask: Ask, most: int) -> Rooms | None:
    """The number of copies, at most `most`; None where some filter cannot say it, so that copies must be foreseen.

    A filter that reads what bookings change says it by `copies(ask, rows)`.
    """
    kept = evaluator.sync(ask)
    return _rooms(evaluator, ask, most, kept.levels[0] != -np.inf, _AllRows(ask, evaluator.table, kept))


class HypotheticalRooms:
    """The same of rows as they would be in another state, asked many times while the table stays as it is."""

    def __init__(self, evaluator: Evaluator, ask: Ask, most: int) -> None:
        self._evaluator, self._ask, self._most = evaluator, ask, most
        self._all = _AllRows(ask, evaluator.table, evaluator.sync(ask))

    def of(self, index: IndexArray, state: Mapping[str, Column]) -> Rooms | None:
        """The number of copies on rows `index` if `state` were their state, all columns of it; None as above."""
        is_open = self._evaluator.judge(self._ask, index, state)[0] != -np.inf
        try:
            return _rooms(self._evaluator, self._ask, self._most, is_open, _SomeRows(self._all, index, state))
        except _StaleError:
            return None


def _rooms(evaluator: Evaluator, ask: Ask, most: int, is_open: BoolArray, rows: Any) -> Rooms | None:
    schema = evaluator.table.schema
    rooms = np.where(is_open, most, 0).astype(np.int64)
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

    def is_shared(self, name: str) -> bool:
        """Whether it is one value for all rows."""
        return name in self._table.shared

    def is_stale(self, name: str) -> bool:
        """Whether it was made of more than what no booking changes."""
        return name in self._kept.made and name not in USABLE

    def _value(self, name: str) -> Any:
        made = self._kept.made.get(name)
        if made is not None:
            return unfolded(made)
        if name in USABLE:  # no plugin of the strategy reads it later, so the evaluator did not keep it
            return usable_cards(self._ask, self)[name]
        shared = self._table.shared
        return shared[name] if name in shared else self._table.columns[name]


class _SomeRows:
    """Some of these rows in another state; a column that a producer made of the old state is a _StaleError."""

    def __init__(self, every: _AllRows, index: IndexArray, state: Mapping[str, Column]) -> None:
        self._every, self._index, self._state, self.size = every, index, state, len(index)

    def __getattr__(self, name: str) -> Any:
        if name in self._state:
            return self._state[name]
        if self._every.is_stale(name):
            raise _StaleError(name)
        value = getattr(self._every, name)
        return value if self._every.is_shared(name) else value[self._index]


class _StaleError(Exception):
    """A filter counts by a column that would have to be made anew; never seen outside."""
