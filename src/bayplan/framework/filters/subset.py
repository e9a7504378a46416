"""Keep the candidates that a subject names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayplan.framework.errors import PluginError
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from collections.abc import Collection

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Mask, Prepared
    from bayplan.framework.rows import Rows
    from bayplan.framework.table import AnyTable

NOT_IN_SUBSET = "not-in-subset"


@dataclass(frozen=True, slots=True)
class Subset:
    """Refuses a candidate that is not in the subject's `subset`, so that a subset of a table needs no new table.

    `subset` is an attribute of the subject: a collection of values of the column. A subject without it, or with None,
    may have every candidate; with an empty one it may have none. A refused candidate says `not-in-subset`.

    Parameters:
        column: the column that holds what subsets name, such as an address.
    """

    column: str = "address"

    name = "subset"
    depends = Depends.CYCLE  # the subject says it, not the ask: a subset must not make a class of its own
    required = True  # what was not named must never be picked, not even where broken plugins are skipped
    storages = ("arrays", "lists")

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,)

    def prepare(self, ask: Any, table: AnyTable, cycle: Cycle) -> Literal[Prepared.SKIP] | None:
        return SKIP if self._subset(cycle) is None else None

    def mask(self, ask: Any, rows: Rows, cycle: Cycle) -> Mask:
        subset, values = self._subset(cycle) or (), getattr(rows, self.column)
        if isinstance(values, list):
            return [value in subset for value in values]
        return np.fromiter((value in subset for value in values.tolist()), np.bool_, rows.size)

    def explain(self, ask: Any, rows: Rows, cycle: Cycle) -> Reasons:
        named = len(self._subset(cycle) or ())
        return Reasons(NOT_IN_SUBSET, named=named, text="not one of the {named} candidates that the subject names")

    def _subset(self, cycle: Cycle) -> Collection[Any] | None:
        subset: Collection[Any] | None = getattr(cycle.subject, "subset", None)
        if isinstance(subset, str):  # `"10.0.0.1" in "10.0.0.11"` is true
            raise PluginError(self.name, f"the subset is the text {subset!r}", next="give a set of values")
        return subset
