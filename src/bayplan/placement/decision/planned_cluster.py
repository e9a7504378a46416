"""A cluster with all that was planned on it so far: what the next plan starts from."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING

import numpy as np

from bayplan.cluster.ledger import Ledger
from bayplan.cluster.snapshot import Snapshot
from bayplan.framework.table import Table
from bayplan.placement.cards.mig.reconfigurations import as_cut
from bayplan.placement.decision.strategies import Strategies

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.identity import GangKey
    from bayplan.cluster.worker import Worker
    from bayplan.framework.fork import Fork
    from bayplan.framework.plugins import Compiler
    from bayplan.framework.profile import Profile
    from bayplan.placement.decision.placed import Replica
    from bayplan.placement.packing.mix import Mix

_NO_GANGS: Mapping[GangKey, int] = {}


class PlannedCluster:
    """Workers and bookings as they are after what was planned; nothing here is written to the cluster itself.

    All bookings are made and released by its ledger. A try writes to `trial()`, a copy of the ledger's table. So the
    cost of a plan does not grow with what was planned before: answers about unwritten rows are kept.
    """

    def __init__(
        self, cluster: Cluster, profiles: Mapping[str, Profile], *, seed: int = 0, now: float = 0.0,
        skip_broken: bool = False, snapshot: Snapshot | None = None, mix: Mix | None = None,
        compiler: Compiler | None = None, ledger: Ledger | None = None,
    ) -> None:  # fmt: skip
        self.cluster = cluster
        self.snapshot = snapshot or Snapshot.of(cluster)
        self.strategies = Strategies(self.snapshot, profiles, skip_broken=skip_broken, mix=mix, compiler=compiler)
        self.workers = {worker.name: worker for worker in cluster.workers}
        self.ledger = Ledger.planned(self.snapshot, cluster.bookings) if ledger is None else ledger
        self.now = now
        self._profiles, self._seed, self._skip_broken, self._mix = profiles, seed, skip_broken, mix
        self._emptied: PlannedCluster | None = None

    def seed(self, number: int) -> int:
        """The seed of the n-th decision of a plan."""
        return self._seed + number

    @property
    def table(self) -> Table | Fork:
        """The snapshot's table with all that was booked or released."""
        return self.ledger.table

    @property
    def bookings(self) -> tuple[Booking, ...]:
        return self.ledger.bookings

    @property
    def written(self) -> Collection[str]:
        """The workers on which something was booked or released."""
        return self.ledger.moved_workers

    def trial(self) -> Fork:
        """A copy of the table for one try."""
        return self.table.fork() if isinstance(self.table, Table) else self.table.copy()

    def book(
        self,
        replicas: Iterable[Replica],
        *,
        released: Sequence[Booking] = (),
        expected: int | None = None,
        gangs: Mapping[GangKey, int] = _NO_GANGS,
    ) -> None:
        """Book these replicas and release these bookings, for all further plans.

        `expected` is the ledger's revision on which they were planned. ConflictError if their workers changed since.
        """
        made: list[Booking] = []
        leave = False
        for replica in replicas:
            leave |= replica.placed.oversold_mib > 0
            bookings = replica.placed.bookings
            role = replica.role.name
            made += [replace(booking, role=role) for booking in bookings] if role else bookings
        if made:
            revision = self.ledger.revision if expected is None else expected
            self.ledger.book(made, expected=revision, allow_overcommit=leave, gangs=gangs, released=released)
            self._noted(admitted=made, released=released)
        elif released:
            self.release(released)

    def _noted(self, *, admitted: Sequence[Booking] = (), released: Sequence[Booking] = ()) -> None:
        """The ledger was changed; a followed cluster keeps that."""

    def release(self, gone: Sequence[Booking]) -> None:
        """Release these bookings, for all further plans."""
        self.ledger.release(gone)

    def without(self, gone: Iterable[Booking]) -> PlannedCluster:
        """The same cluster without these of its bookings. It shares the snapshot: only their rows are counted again."""
        other = copy(self)
        other.ledger = self.ledger.fork()
        other.release(tuple(gone))
        return other

    def emptied(self) -> PlannedCluster:
        """The same cluster without any booking; only foreign use of its cards stays."""
        if self._emptied is None:
            workers = tuple(map(self._without_ours, self.cluster.workers))
            is_empty = not self._has_bookings and all(map(is_, workers, self.cluster.workers))
            snapshot = self.snapshot
            if not is_empty:
                by_name = {worker.name: worker for worker in workers}
                snapshot = snapshot.emptied([by_name[each.name] for each in snapshot.workers])
            self._emptied = self._on(replace(self.cluster, workers=workers, bookings=()), snapshot)
        return self._emptied

    @property
    def _has_bookings(self) -> bool:
        """Whether the snapshot itself counts bookings."""
        return bool(self.cluster.bookings)

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
        known = names & self.snapshot.rows.keys()
        kept = [each for each in planned.workers if each.name not in known] if known else planned.workers
        cluster = replace(planned, workers=(*kept, *workers))
        if self.written:
            return self._on(cluster)
        moved = [entry.booking for name in names for entry in self.ledger.held_on(name)]
        base = self.snapshot.without(known) if known else self.snapshot
        snapshot = base.with_workers(workers, moved)
        return self._on(cluster, snapshot, self.ledger.planned_on(snapshot))

    def _on(self, cluster: Cluster, snapshot: Snapshot | None = None, ledger: Ledger | None = None) -> PlannedCluster:
        return PlannedCluster(
            cluster, self._profiles, seed=self._seed, now=self.now, skip_broken=self._skip_broken, snapshot=snapshot,
            mix=self._mix, ledger=ledger,
        )  # fmt: skip

    def result(self) -> Cluster:
        """The cluster with all that was planned on it, as a file says it.

        What is booked counts as observed, too, and cards are cut as their holders need it.
        """
        written, bookings = self.written, self.bookings
        if not written:
            return replace(self.cluster, bookings=bookings)
        sliced: dict[str, list[Booking]] = {}
        for booking in bookings:
            if any(part.mig is not None for part in booking.cards):
                sliced.setdefault(booking.worker, []).append(booking)
        workers = []
        for worker in self.cluster.workers:
            if worker.name in written:
                row = self.snapshot.row(worker.name)
                used = self.table.gather(("card_observed_mib",), np.array([row], np.intp))["card_observed_mib"][0]
                workers.append(as_cut(observing(worker, used.tolist()), sliced.get(worker.name, ())))
            else:
                workers.append(worker)
        return replace(self.cluster, workers=tuple(workers), bookings=bookings)


def observing(worker: Worker, used_mib: Sequence[int]) -> Worker:
    """The worker with this much in use on each card whose use is observed."""
    if all(gpu.observed_used_mib is None for gpu in worker.gpus):
        return worker
    gpus = [
        gpu if gpu.observed_used_mib is None else replace(gpu, observed_used_mib=used)
        for gpu, used in zip(worker.gpus, used_mib, strict=False)
    ]
    return replace(worker, gpus=tuple(gpus))
