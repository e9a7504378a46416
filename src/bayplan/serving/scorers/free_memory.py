"""Prefer server replicas, and servers, with more free memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import Scores
    from bayplan.serving.asks.ask import Ask
    from bayplan.serving.books.columns import ReplicaRows

_MOST_MIB = float(2**45)
"""More than any memory that documents may name; a power of two, so that different sizes keep different scores."""
_MOST_SUM_MIB = float(2**62)
"""The same for the sum over many replicas."""


class FreeMemory:
    """Ranks server replicas by their free memory, and servers by that of the replicas that they would give.

    The score is the free memory as a share of 2^45 MiB, and of 2^62 MiB for servers: only their order matters. Memory
    that is not known counts as none.
    """

    name = "free-memory"
    reads = ("free_mib",)
    ranks = "replicas"

    def score(self, ask: Ask, rows: ReplicaRows, cycle: Cycle) -> Scores:
        scores: Scores = np.maximum(rows.free_mib, 0) / _MOST_MIB
        return scores

    def of_servers(self) -> FreeMemoryOfServers:
        """The scorer that ranks servers in the same way."""
        return FreeMemoryOfServers()


class FreeMemoryOfServers:
    """Ranks servers by the free memory of the replicas that they would give."""

    name = "free-memory"
    reads = ("group_sum_free_mib",)
    ranks = "servers"

    def score(self, ask: Ask, rows: Any, cycle: Cycle) -> Scores:
        scores: Scores = rows.group_sum_free_mib / _MOST_SUM_MIB
        return scores
