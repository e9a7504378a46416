"""Prefer the server replica with the lower index."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Scores
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows

_MOST = float(2**32)
"""More than any index; a power of two, so that each index has a score of its own."""


class Index:
    """Ranks server replicas: 1.0 for index 0, and a little less for each further one. Servers shrink from the top."""

    name = "index"
    reads = ("index",)
    ranks = "replicas"

    def score(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> Scores:
        return 1.0 - rows.index.clip(0) / _MOST
