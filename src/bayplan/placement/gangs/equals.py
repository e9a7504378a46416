"""Workers that nobody could tell apart: where one of them does not help, no other will."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.columns import STATE_NAMES, STATIC_NAMES, domain_column
from bayplan.cluster.topology import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bayplan.placement.ask import Ask
    from bayplan.placement.search import Search

_PLACES = {"uid_hash", "path_id", *(domain_column(level) for level in LEVELS)}


class Equals:
    """Rows of one search; members that name workers, pay for them, or avoid some, make every one of them its own."""

    def __init__(self, search: Search, asks: Sequence[Ask]) -> None:
        self._search = search
        self._apart = any(
            ask.selected is not None or ask.max_usd_per_hour is not None or ask.anti_affinity for ask in asks
        )
        level = search.request.workload.spread_over
        of_places = set() if level is None else {domain_column(level)}
        self._names = [name for name in (*STATIC_NAMES, *STATE_NAMES) if name not in _PLACES - of_places]

    def first(self, rows: Sequence[int]) -> Iterator[int]:
        """Of rows that are equal by now the lowest, in the order of the first of them."""
        if self._apart:
            yield from rows
            return
        columns = self._search.trial.gather(self._names, np.array(rows, np.intp))
        keys = [b"".join(column[place].tobytes() for column in columns.values()) for place in range(len(rows))]
        lowest: dict[bytes, int] = {}
        for key, row in zip(keys, rows, strict=True):
            lowest[key] = min(row, lowest.get(key, row))
        yield from lowest.values()
