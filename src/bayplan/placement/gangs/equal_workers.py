"""Workers that are equal apart from their place: what one of them holds, the others hold too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import STATE_NAMES, STATIC_NAMES, domain_column
from bayplan.cluster.topology import LEVELS, Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.gangs.trial import Trial

_PLACES = {"uid_hash", "path_id", *(domain_column(level) for level in LEVELS)}
_NAMES = [name for name in (*STATIC_NAMES, *STATE_NAMES) if name not in _PLACES]


class Equals:
    """Keys of the rows of one search. No two rows are equal if members name cards, share a budget or avoid bookings.

    Where members name regions, only workers of one region are equal.
    """

    def __init__(self, trial: Trial, asks: Sequence[Ask]) -> None:
        self._trial = trial
        self._apart = any(ask.selected is not None for ask in asks) or trial.constraints.tell_apart(asks)
        self._names = [*_NAMES, domain_column(Level.REGION)] if any(ask.regions for ask in asks) else _NAMES

    def keys(self, rows: Sequence[int]) -> list[bytes]:
        """Equal rows get equal keys."""
        if self._apart:
            return [str(row).encode() for row in rows]
        columns = self._trial.table.gather(self._names, np.array(rows, np.intp))
        return [b"".join(column[place].tobytes() for column in columns.values()) for place in range(len(rows))]
