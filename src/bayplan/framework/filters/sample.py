"""Look at some of the candidates only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.framework.errors import InputError
from bayplan.framework.plugins import Depends
from bayplan.framework.reasons import NOT_SCORED, Reasons

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows


@dataclass(frozen=True, slots=True)
class Sample:
    """Keeps a seeded sample of the rows that the filters before it left, so that fewer need to be scored.

    A row that alone fits is therefore always found. What is left out says `not-scored`.

    Parameters:
        count: how many rows to keep.
    """

    count: int = 100

    name = "sample"
    reads = ()
    depends = Depends.TABLE  # which rows are left decides: the sample is drawn from what the other filters pass

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InputError(f"{self.count} rows are no sample", place="count", next="keep at least 1")

    def mask(self, ask: Any, rows: Rows, cycle: Cycle) -> BoolArray:
        mask = np.zeros(rows.size, np.bool_)
        mask[cycle.random().sample(range(rows.size), min(self.count, rows.size))] = True
        return mask

    def explain(self, ask: Any, rows: Rows, cycle: Cycle) -> Reasons:
        return Reasons(NOT_SCORED, kept=self.count, text="left out of the sample of {kept} that was scored")
