"""The cluster as it was at earlier decisions: a full state now and then, and all changes since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.placement.decision.followed_cluster import FollowedCluster

if TYPE_CHECKING:
    from bayplan.cluster.cluster import Cluster
    from bayplan.placement.decision.followed_cluster import ClusterChange

EVERY = 5_000
"""Changes after which a full state is kept: making one costs some milliseconds for thousands of workers."""
EVERY_ITEMS = 100_000
"""Or workers and bookings in these changes: some changes are about thousands of them."""


@dataclass(frozen=True, slots=True)
class Past:
    """The cluster at an earlier moment, not worked out yet."""

    base: Cluster
    changes: tuple[ClusterChange, ...]

    def cluster(self) -> Cluster:
        """Takes seconds for thousands of workers; nothing of the present is touched, so any thread may do it."""
        state = FollowedCluster(self.base, {})
        for change in self.changes:
            state.apply(change)
        return state.result()


class History:
    """Follows a state by its journal. Positions count changes; the last 5,000 to 10,000 of them can be asked for."""

    def __init__(self, state: FollowedCluster) -> None:
        self._state = state
        self._bases: list[tuple[int, Cluster]] = [(0, state.result())]
        self._changes: list[ClusterChange] = []
        self._first = 0  # the position of the first change that is kept
        self._items = 0  # in the changes since the last base
        state.journal = self._note

    @property
    def position(self) -> int:
        """How many changes there were so far."""
        return self._first + len(self._changes)

    def at(self, position: int) -> Past | None:
        """The cluster after that many changes; None where that is no longer known."""
        base = next((each for each in reversed(self._bases) if each[0] <= position), None)
        if base is None:
            return None
        return Past(base[1], tuple(self._changes[base[0] - self._first : position - self._first]))

    def _note(self, change: ClusterChange) -> None:
        self._changes.append(change)
        self._items += len(change.workers) + len(change.gone) + len(change.released) + len(change.admitted)
        if self.position - self._bases[-1][0] >= EVERY or self._items >= EVERY_ITEMS:
            self._items = 0
            self._bases.append((self.position, self._state.result()))
            if len(self._bases) > 2:
                del self._bases[0]
                keep_from = self._bases[0][0]
                del self._changes[: keep_from - self._first]
                self._first = keep_from
