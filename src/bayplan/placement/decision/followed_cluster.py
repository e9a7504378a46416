"""A planned cluster that follows a real one: workers come, change and go, and what is held elsewhere is counted."""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.ledger import Ledger
from bayplan.placement.decision.planned_cluster import PlannedCluster
from bayplan.placement.decision.strategies import Strategies

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking, Budget
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.worker import Worker
    from bayplan.framework.plugins import Compiler, Observer
    from bayplan.framework.profile import Profile
    from bayplan.placement.packing.mix import Mix


class ClusterChange(NamedTuple):
    """One change of a followed cluster. The same changes made to an equal cluster give an equal cluster."""

    workers: tuple[Worker, ...] = ()
    gone: tuple[str, ...] = ()
    released: tuple[Booking, ...] = ()
    admitted: tuple[Booking, ...] = ()
    budgets: tuple[Budget, ...] | None = None


class FollowedCluster(PlannedCluster):
    """Lives as long as the scheduler. Decisions are made on the ledger's own table, so kept answers stay of use.

    A worker that changes is written in place; one that comes or goes makes a new table, a few milliseconds for
    thousands of workers.
    """

    def __init__(
        self,
        cluster: Cluster,
        profiles: Mapping[str, Profile],
        *,
        skip_broken: bool = False,
        mix: Mix | None = None,
        compiler: Compiler | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        ledger = Ledger.of(cluster)
        ledger.foreseen = True  # what was just booked is not observed yet, so foreign use must stay as it is
        self._compiler, self._observers = compiler, tuple(observers)
        self.journal: Callable[[ClusterChange], None] = _forget
        """Hears of every change, in order."""
        super().__init__(
            replace(cluster, bookings=()), profiles, skip_broken=skip_broken, snapshot=ledger.snapshot, mix=mix,
            compiler=compiler, ledger=ledger,
        )  # fmt: skip
        self._follow_snapshot(remade=True)

    def begin(self, seed: int, now: float, *, ahead: bool = True) -> None:
        """The chance and the time of the next decision; without `ahead` the outlook stays as it is."""
        self._seed, self.now = seed, now
        if ahead:
            self.strategies.look_ahead()

    def follow(self, profiles: Mapping[str, Profile], *, skip_broken: bool) -> None:
        """Decide by another configuration from now on."""
        self._profiles, self._skip_broken = profiles, skip_broken
        self._emptied = None
        self._follow_snapshot(remade=True)

    def set_workers(self, workers: Sequence[Worker]) -> None:
        """Workers that are new, and what is now known of others; new ones together cost no more than a single one."""
        fresh = [worker for worker in workers if worker.name not in self.workers]
        for worker in workers:
            if worker.name in self.workers:
                self.ledger.update_worker(worker)
        if fresh:
            self.ledger.add_workers(fresh)
        self.workers.update({worker.name: worker for worker in workers})
        self._workers_changed()
        self.journal(ClusterChange(workers=tuple(workers)))

    def remove_workers(self, names: Collection[str]) -> None:
        """Workers that are gone; what is held on them stays until it is released."""
        self.ledger.remove_workers(names)
        for name in names:
            del self.workers[name]
        self._workers_changed()
        self.journal(ClusterChange(gone=tuple(names)))

    def set_budgets(self, budgets: Iterable[Budget]) -> None:
        """How many replicas of workloads must stay."""
        found = tuple(budgets)
        if found != self.cluster.budgets:
            self.cluster = replace(self.cluster, budgets=found)
            self.journal(ClusterChange(budgets=found))

    def admit(self, bookings: Iterable[Booking]) -> None:
        """Count what is held already; nothing is refused."""
        found = tuple(bookings)
        self.ledger.admit(found)
        self.journal(ClusterChange(admitted=found))

    def release(self, gone: Sequence[Booking]) -> None:
        super().release(gone)
        self.journal(ClusterChange(released=tuple(gone)))

    def apply(self, change: ClusterChange) -> None:
        """Make a change that another followed cluster made."""
        if change.released:
            self.release(change.released)
        if change.admitted:
            self.admit(change.admitted)
        if change.workers:
            self.set_workers(change.workers)
        if change.gone:
            self.remove_workers(change.gone)
        if change.budgets is not None:
            self.set_budgets(change.budgets)

    def without(self, gone: Iterable[Booking]) -> PlannedCluster:
        other = copy(self)  # what is tried there did not happen
        other.journal, other.ledger = _forget, self.ledger.fork()
        other.release(tuple(gone))
        return other

    def _noted(self, *, admitted: Sequence[Booking] = (), released: Sequence[Booking] = ()) -> None:
        self.journal(ClusterChange(admitted=tuple(admitted), released=tuple(released)))

    def _workers_changed(self) -> None:
        self.cluster = replace(self.cluster, workers=tuple(self.workers.values()))
        self._emptied = None
        self._follow_snapshot(remade=self.ledger.snapshot is not self.snapshot)

    def _follow_snapshot(self, *, remade: bool) -> None:
        if remade:
            self.snapshot = self.ledger.snapshot
            self.strategies = Strategies(
                self.snapshot, self._profiles, observers=self._observers, skip_broken=self._skip_broken,
                mix=self._mix, compiler=self._compiler,
            )  # fmt: skip

    @property
    def _has_bookings(self) -> bool:
        return True  # the table is the ledger's own


def change_between(one: Cluster, other: Cluster) -> ClusterChange:
    """The change that makes one cluster another one with the same workers' names."""
    before = {worker.name: worker for worker in one.workers}
    there, wanted = Counter(one.bookings), Counter(other.bookings)
    return ClusterChange(
        workers=tuple(worker for worker in other.workers if before.get(worker.name) != worker),
        gone=tuple(before.keys() - {worker.name for worker in other.workers}),
        released=tuple((there - wanted).elements()),
        admitted=tuple((wanted - there).elements()),
        budgets=other.budgets,
    )


def _forget(_: ClusterChange) -> None:
    """Where no journal is kept."""
