"""A cluster with all that was planned on it so far: the ground on which the next plan stands."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.claims import NOWHERE, Claims
from bayplan.cluster.snapshot import Snapshot
from bayplan.framework.table import Table
from bayplan.placement.cards.mig.reconfigurations import as_cut
from bayplan.placement.decision.booking_index import BookingIndex
from bayplan.placement.decision.strategies import Strategies

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.worker import Worker
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import Compiler
    from bayplan.framework.profile import Profile
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.packing.mix import Mix


class PlannedCluster:
    """Workers and bookings as they are after what was planned; nothing here is written to the cluster itself.

    `table` is the snapshot's with all that was booked or released, in the rows `written`; a try writes to `trial()`, a
    copy of it. So the cost of a plan does not grow with what was planned before: answers about unwritten rows are kept.
    """

    def __init__(
        self, cluster: Cluster, profiles: Mapping[str, Profile], *, seed: int = 0, now: float = 0.0,
        skip_broken: bool = False, snapshot: Snapshot | None = None, mix: Mix | None = None,
        compiler: Compiler | None = None,
    ) -> None:  # fmt: skip
        self.cluster = cluster
        self.snapshot = snapshot or Snapshot.of(cluster)
        self.strategies = Strategies(self.snapshot, profiles, skip_broken=skip_broken, mix=mix, compiler=compiler)
        self.workers = {worker.name: worker for worker in cluster.workers}
        self.bookings: list[Booking] = list(cluster.bookings)
        self.index = BookingIndex(self.bookings)
        self.table: Table | Fork = self.snapshot.table.apart()
        self.written: set[int] = set()
        self.now = now
        self._profiles, self._seed, self._skip_broken, self._mix = profiles, seed, skip_broken, mix
        self._emptied: PlannedCluster | None = None

    def seed(self, number: int) -> int:
        """The seed of the n-th decision of a plan."""
        return self._seed + number

    def trial(self) -> Fork:
        """A copy of the table for one try."""
        return self.table.fork() if isinstance(self.table, Table) else self.table.copy()

    def book(self, replicas: Iterable[Replica]) -> None:
        """Let further plans stand on these replicas."""
        booked: dict[int, list[Booking]] = {}
        made: list[Booking] = []
        for replica in replicas:
            for share in replica.placed.shares:
                booked.setdefault(share.row, []).append(share.booking)
                made.append(replace(share.booking, role=replica.role.name) if replica.role.name else share.booking)
        for row, bookings in booked.items():
            self.table.write(row, self.snapshot.after(row, booked=bookings, table=self.table, foreseen=True))
        self.written.update(booked)
        self.bookings.extend(made)
        self.index.add(made)

    def release(self, gone: Sequence[Booking]) -> None:
        """Let further plans stand on a cluster without these of its bookings."""
        left = {id(booking) for booking in gone}
        self.bookings = [booking for booking in self.bookings if id(booking) not in left]
        self.index = self.index.without(gone)
        claims = Claims(self.snapshot, gone)
        claim = np.flatnonzero(claims.rows != NOWHERE)
        rows, case = np.unique(claims.rows[claim], return_inverse=True)
        if len(rows):
            self.table.write_many(rows, claims.without(rows, case, claim, self.table))
            self.written = self.written.union(rows.tolist())

    def without(self, gone: Iterable[Booking]) -> PlannedCluster:
        """The same cluster without these of its bookings. It shares the snapshot: only their rows are counted again."""
        other = copy(self)
        other.table, other.written = self.trial(), set(self.written)
        other.release(tuple(gone))
        return other

    def emptied(self) -> PlannedCluster:
        """The same cluster without any booking; what others use of its cards stays, and no more than that."""
        if self._emptied is None:
            workers = tuple(map(self._without_ours, self.cluster.workers))
            is_empty = not self.cluster.bookings and all(map(is_, workers, self.cluster.workers))
            snapshot = self.snapshot if is_empty else None
            self._emptied = self._on(replace(self.cluster, workers=workers, bookings=()), snapshot)
        return self._emptied

    def _without_ours(self, worker: Worker) -> Worker:
        """The worker as it would be observed if nothing were booked on it."""
        if not any(gpu.observed_used_mib for gpu in worker.gpus):
            return worker
        return observing(
            worker, self.snapshot.table.columns["card_foreign_mib"][self.snapshot.row(worker.name)].tolist()
        )

    def with_workers(self, workers: Sequence[Worker]) -> PlannedCluster:
        """The same cluster with these workers added; a worker of the same name is replaced."""
        names = {worker.name for worker in workers}
        planned = self.result()
        kept = (worker for worker in planned.workers if worker.name not in names)
        cluster = replace(planned, workers=(*kept, *workers))
        if self.written:
            return self._on(cluster)
        known = names & self.snapshot.rows.keys()
        moved = [booking for booking in self.bookings if booking.worker in known]
        base = self.snapshot.without(known) if known else self.snapshot
        return self._on(cluster, base.with_workers(workers, moved))

    def _on(self, cluster: Cluster, snapshot: Snapshot | None = None) -> PlannedCluster:
        return PlannedCluster(
            cluster, self._profiles, seed=self._seed, now=self.now, skip_broken=self._skip_broken, snapshot=snapshot,
            mix=self._mix,
        )  # fmt: skip

    def result(self) -> Cluster:
        """The cluster with all that was planned on it, as a file says it.

        What is booked counts as observed, too, and cards are cut as their holders need it.
        """
        sliced: dict[str, list[Booking]] = {}
        for booking in self.bookings:
            if any(part.mig is not None for part in booking.cards):
                sliced.setdefault(booking.worker, []).append(booking)
        workers = []
        for worker in self.cluster.workers:
            row = self.snapshot.row(worker.name)
            if row in self.written:
                used = self.table.gather(("card_observed_mib",), np.array([row], np.intp))["card_observed_mib"][0]
                workers.append(as_cut(observing(worker, used.tolist()), sliced.get(worker.name, ())))
            else:
                workers.append(worker)
        return replace(self.cluster, workers=tuple(workers), bookings=tuple(self.bookings))


def observing(worker: Worker, used_mib: Sequence[int]) -> Worker:
    """The worker with this much in use on each card whose use is observed."""
    if all(gpu.observed_used_mib is None for gpu in worker.gpus):
        return worker
    gpus = [
        gpu if gpu.observed_used_mib is None else replace(gpu, observed_used_mib=used)
        for gpu, used in zip(worker.gpus, used_mib, strict=False)
    ]
    return replace(worker, gpus=tuple(gpus))
