"""`antiAffinity`: no replica beside bookings of the workloads and gangs that its workload names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.booking import is_avoided
from bayplan.cluster.events import BOOKING_REMOVED, WORKER_ADDED
from bayplan.cluster.worker import uid_hash
from bayplan.framework.cycle import Key
from bayplan.framework.plugins import SKIP, Depends
from bayplan.framework.reasons import Reasons
from bayplan.placement.constraints.constraint import Stateless

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.framework.cycle import Cycle
    from bayplan.framework.plugins import BoolArray
    from bayplan.framework.rows import Rows
    from bayplan.framework.table import AnyTable
    from bayplan.placement.asks.ask import Ask

    Named = Callable[[str, Iterable[str]], Iterable[Booking]]

AVOIDED: Key[npt.NDArray[np.int64]] = Key("uid hashes of the workers that antiAffinity closes")


class AntiAffinity:
    """Refuses a worker with a booking whose workload or gang is named in `antiAffinity`.

    The subject of the decision knows which bookings are where, so the answer is not cached. Curable: without these
    bookings the worker may be used.
    """

    name = "anti-affinity"
    reads = ("uid_hash",)
    depends = Depends.CYCLE
    required = True
    cured_by = (BOOKING_REMOVED, WORKER_ADDED)

    def prepare(self, ask: Ask, table: AnyTable, cycle: Cycle) -> object:
        avoided = cycle.subject.constraint(AVOIDED)
        return None if ask.anti_affinity and avoided is not None and len(avoided) else SKIP

    def mask(self, ask: Ask, rows: Rows, cycle: Cycle) -> BoolArray:
        return np.isin(rows.uid_hash, cycle.subject.constraint(AVOIDED), invert=True)

    def explain(self, ask: Ask, refused: Rows, cycle: Cycle) -> Reasons:
        return Reasons(
            "anti-affinity",
            curable=True,
            names=" or ".join(ask.anti_affinity),
            text="holds a booking of {names}, which antiAffinity excludes",
        )


class Avoidance(Stateless):
    """The rule in one try: `named` finds bookings of others by name, `held` are those of the workload itself."""

    key = AVOIDED
    filter = AntiAffinity()

    def __init__(self, snapshot: Snapshot, namespace: str, named: Named, held: Sequence[Booking]) -> None:
        self._snapshot, self._namespace, self._named, self._held = snapshot, namespace, named, held

    def applies(self, asks: Sequence[Ask]) -> bool:
        return any(ask.anti_affinity for ask in asks)

    def view(self, asks: Sequence[Ask]) -> npt.NDArray[np.int64]:
        rows = {row for _, row in self.bookings(asks)}
        return np.array([uid_hash(self._snapshot.workers[row].uid) for row in rows], np.int64)

    def bookings(self, asks: Sequence[Ask]) -> Iterator[tuple[Booking, int]]:
        """The bookings beside which no replica may be, with their rows."""
        names = {name for ask in asks for name in ask.anti_affinity}
        for booking in (*self._named(self._namespace, names), *self._own(names)):
            row = self._snapshot.rows.get(booking.worker)
            if row is not None:
                yield booking, row

    def _own(self, names: Collection[str]) -> Iterator[Booking]:
        """A workload may name itself, or its own gang."""
        return (booking for booking in self._held if is_avoided(booking, self._namespace, names))

    def tells_apart(self, asks: Sequence[Ask]) -> bool:
        return self.applies(asks)
