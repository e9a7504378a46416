"""`cost.maxSpotPercent`: how many of a workload's replicas may be on spot workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.events import BOOKING_ADDED, BOOKING_REMOVED, WORKER_ADDED, WORKER_CHANGED
from bayplan.framework.cycle import Key
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.framework.table import AnyTable
    from bayplan.placement.asks.ask import Ask
    from bayplan.placement.asks.sized_workload import SizedWorkload


@dataclass(frozen=True, slots=True)
class OnSpot:
    """How many replicas are on spot workers, and how many may be: a percentage of the wanted ones."""

    there: int
    most: int
    wanted: int
    percent: float

    @property
    def left(self) -> int:
        """How many more replicas may be on spot workers."""
        return max(0, self.most - self.there)


ON_SPOT: Key[OnSpot] = Key("replicas on spot workers")


class SpotShare:
    """Refuses spot workers once they have as many of the workload's replicas as `cost.maxSpotPercent` allows.

    The number is rounded down; replicas that are there already count. A replica over several workers counts where one
    of them is spot. Not curable: only replicas of the workload itself count. Skips while the share is not used up.
    """

    name = "spot-share"
    reads = ("spot",)
    depends = Depends.CYCLE
    required = True
    cured_by = (BOOKING_ADDED, BOOKING_REMOVED, WORKER_ADDED, WORKER_CHANGED)

    def prepare(self, ask: Ask, table: AnyTable, cycle: Cycle) -> object:
        share = cycle.subject.constraint(ON_SPOT)
        return SKIP if share is None or share.left else None

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        steady: BoolArray = ~rows.spot
        return steady

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        share = cycle.subject.constraint(ON_SPOT)
        return Reasons(
            "spot",
            curable=False,
            unit="replicas",
            needed=share.there + 1,
            free=share.most,
            there=share.there,
            wanted=share.wanted,
            percent=share.percent,
            text="is a spot worker; {free} of {wanted} replicas may be on spot workers (cost.maxSpotPercent "
            "{percent:g}), {there} are",
        )


class SpotReplicas:
    """The rule in one try."""

    key = ON_SPOT
    filter = SpotShare()

    def __init__(self, snapshot: Snapshot, sized: SizedWorkload) -> None:
        self._snapshot = snapshot
        self._percent, self._most = sized.max_spot_percent, sized.most_on_spot
        self._wanted = sized.whole.workload.desired
        self._on_spot: dict[int, None] = {}  # numbers of replicas, in the order in which they were taken

    def applies(self, asks: Sequence[Ask]) -> bool:
        return self._most is not None

    def view(self, asks: Sequence[Ask]) -> OnSpot:
        return OnSpot(len(self._on_spot), self._most or 0, self._wanted, self._percent or 0.0)

    def hold(self, booking: Booking, row: int) -> None:
        if self._snapshot.workers[row].spot:
            self._on_spot[booking.replica] = None

    def mark(self) -> int:
        return len(self._on_spot)

    def back_to(self, mark: int) -> None:
        while len(self._on_spot) > mark:  # a dict keeps the order of insertion: the last ones were added since
            self._on_spot.popitem()

    def closed_rows(self, asks: Sequence[Ask]) -> Set[int]:
        """All spot workers, once the share is used up."""
        if self.view(asks).left:
            return frozenset()
        return set(np.flatnonzero(self._snapshot.table.columns["spot"]).tolist())

    def tells_apart(self, asks: Sequence[Ask]) -> bool:
        return False
