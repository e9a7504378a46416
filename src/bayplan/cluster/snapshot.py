"""A cluster as a table: one row a worker, every domain of every level a slice of rows."""

from __future__ import annotations

import hashlib
from bisect import bisect
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bayplan.cluster.columns import HELD, SHARED, STATE, STATE_NAMES, STATIC_NAMES, UNKNOWN
from bayplan.cluster.domains import domain_columns, find_domains
from bayplan.cluster.holding import Holding
from bayplan.cluster.loading import Columns, load, site_of, widen, widths
from bayplan.cluster.places import repeated
from bayplan.cluster.pool import Pool
from bayplan.cluster.pools import Pools
from bayplan.cluster.settlement import settle
from bayplan.framework.errors import InputError
from bayplan.framework.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.claim import Site
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.domains import Domains
    from bayplan.cluster.topology import Level, TopologyPath
    from bayplan.cluster.worker import Worker
    from bayplan.framework.fork import Fork
    from bayplan.framework.row_delta import RowDelta

Order = tuple[tuple[tuple[bool, str, str], ...], bytes, str]
Hosts = tuple[tuple[int, "TopologyPath"], ...]
"""Of the workers that host a service the uid hash and the path."""

FEW_MEASUREMENTS = 256
"""Up to this number they are kept even where no worker has them."""


class Snapshot:
    """The table that placement decides on, and the nouns behind its numbers.

    Rows follow the topology path and, inside the innermost domain, a hash of the uid: equals are not taken in the
    order of their names. Only the ledger writes the table; all other code writes a fork. When workers come or
    go there is a new snapshot with a new table, and the old one stays as it was.
    """

    __slots__ = ("_sites", "domains", "order", "pools", "rows", "table", "workers")

    def __init__(self, workers: list[Worker], order: list[Order], pools: Pools, columns: Columns) -> None:
        self.workers = workers
        self.order = order
        self.pools = pools
        self._sites: dict[int, Site] = {}
        self.rows: dict[str, int] = {worker.name: row for row, worker in enumerate(workers)}
        if len(self.rows) < len(workers) and (again := repeated(worker.name for worker in workers)):
            raise InputError("is there already", place=f"worker {again[1]}", next="update or remove it first")
        self.domains: dict[Level, Domains] = find_domains(pools.paths.values, columns["path_id"])
        columns = {**columns, **domain_columns(self.domains, len(workers))}
        self.table = Table(
            static={name: columns[name] for name in STATIC_NAMES},
            state={name: columns[name] for name in STATE_NAMES},
            shared=dict.fromkeys(SHARED),
            constants={"pools": pools, "hosts": hosts_of(workers, columns["uid_hash"])},
            keys=list(self.rows),
            copied=False,  # all columns were made for this snapshot
        )

    @classmethod
    def of(cls, cluster: Cluster) -> Snapshot:
        """The cluster as it stands."""
        return cls.load(cluster.workers, cluster.bookings)

    @classmethod
    def load(cls, workers: Iterable[Worker], bookings: Iterable[Booking] = ()) -> Snapshot:
        """Workers and what is held on them; bookings that exceed what is there count, nothing is below 0 free."""
        held, pools = list(workers), Pools()
        order = list(map(order_of, held))
        return cls.ordered(held, order, pools, load(held, by_worker(bookings), pools))

    @classmethod
    def ordered(cls, workers: list[Worker], order: list[Order], pools: Pools, columns: Columns) -> Snapshot:
        """Workers and columns that stand in any order, put in that of `order`."""
        rows = sorted(range(len(workers)), key=order.__getitem__)
        index = np.array(rows, np.intp)
        columns = {name: column[index] for name, column in columns.items()}
        return cls([workers[row] for row in rows], [order[row] for row in rows], pools, columns)

    def site(self, row: int) -> Site:
        """The worker of a row, ready to be counted on."""
        worker, site = self.workers[row], self._sites.get(row)
        if site is None or site.worker is not worker:  # not made yet, or the worker was updated since
            site = self._sites[row] = site_of(worker, self.pools, int(self.table.columns["cards_id"][row]))
        return site

    def holding(self, row: int, table: Table | Fork | None = None, *, foreseen: bool = False) -> Holding:
        """The state of a row, in this table or a fork of it, to try several bookings on it."""
        return Holding(self.site(row), self.table if table is None else table, row, foreseen=foreseen)

    def after(
        self,
        row: int,
        *,
        booked: Iterable[Booking] = (),
        released: Iterable[Booking] = (),
        table: Table | Fork | None = None,
        foreseen: bool = False,
    ) -> RowDelta:
        """The cells of a row that would change: what `write` takes, here or on a fork. Nothing is written."""
        holding = self.holding(row, table, foreseen=foreseen)
        for booking in released:
            holding.count(booking, -1)
        for booking in booked:
            holding.count(booking, 1)
        return holding.delta

    def with_workers(self, workers: Sequence[Worker], bookings: Iterable[Booking] = ()) -> Snapshot:
        """The snapshot with more workers, on which these bookings lie."""
        if self._has_old_measurements:
            return self._tidied().with_workers(workers, bookings)
        fresh = load(workers, by_worker(bookings), self.pools)
        columns = dict(self.table.columns)
        shapes = widths(self.pools, max(_width(fresh), _width(columns)))
        old, new = widen(columns, shapes), widen(fresh, shapes)
        rows = sorted(range(len(workers)), key=(order := list(map(order_of, workers))).__getitem__)
        places = [bisect(self.order, order[row]) for row in rows]
        joined = {name: np.insert(old[name], places, new[name][rows], axis=0) for name in new}
        all_workers, all_orders = list(self.workers), list(self.order)
        for row, place in zip(reversed(rows), reversed(places), strict=True):  # from the end, so that places hold
            all_workers.insert(place, workers[row])
            all_orders.insert(place, order[row])
        return Snapshot(all_workers, all_orders, self.pools, joined)

    def without(self, names: Collection[str]) -> Snapshot:
        """The snapshot with fewer workers."""
        gone = np.array([self.row(name) for name in names], np.intp)
        kept = np.delete(np.arange(len(self.workers)), gone)
        columns = {name: column[kept] for name, column in self.table.columns.items()}
        rows = kept.tolist()
        return Snapshot([self.workers[row] for row in rows], [self.order[row] for row in rows], self.pools, columns)

    def updated(self, worker: Worker, bookings: Sequence[Booking] = ()) -> Snapshot:
        """The snapshot with what is now known of a worker: this very one, written in place, where the table has room.

        A worker that moved in the topology, hosts other services, or has more cards than the table is wide, makes a
        new one; so does, now and then, what was measured, because old measurements would add up without end.
        """
        row = self.row(worker.name)
        if self._has_old_measurements:
            return self._tidied().updated(worker, bookings)
        fresh = load([worker], {worker.name: tuple(bookings)}, self.pools)
        columns = self.table.columns
        shapes = widths(self.pools, _width(columns))
        fits = len(worker.gpus) <= _width(columns) and shapes["profile"] == columns["loose_held"].shape[1:]
        fits = fits and shapes["resource"] == columns["resource_held"].shape[1:]
        if not fits or order_of(worker) != self.order[row] or worker.services != self.workers[row].services:
            return self.without((worker.name,)).with_workers((worker,), bookings)
        values = {name: column[0] for name, column in widen(fresh, shapes).items()}
        # Only what differs: a static column that is written makes kept answers be worked out again.
        changed = {name: value for name, value in values.items() if not np.array_equal(columns[name][row], value)}
        self.workers[row] = worker
        self.table.write(row, changed)
        return self

    @property
    def _has_old_measurements(self) -> bool:
        """Whether most of the measurements that are kept are of no worker any more."""
        return len(self.pools.utilization) > max(FEW_MEASUREMENTS, 2 * len(self.workers))

    def _tidied(self) -> Snapshot:
        """The same without measurements that were replaced: in a pool of its own, as numbers never change."""
        pools = replace(self.pools, utilization=Pool())
        measured = pools.utilization.numbers(worker.utilization for worker in self.workers)
        columns = dict(self.table.columns)
        columns["utilization_id"] = np.array(measured, columns["utilization_id"].dtype)
        return Snapshot(list(self.workers), list(self.order), pools, columns)

    def emptied(self, workers: Sequence[Worker]) -> Snapshot:
        """The snapshot without any booking, of the same workers in the order of its rows.

        What is in use on cards is then what other processes use. The static columns are those of this snapshot.
        """
        columns = dict(self.table.columns)
        for spec in HELD:
            if spec.name not in ("status", "card_observed_mib"):
                columns[spec.name] = np.zeros_like(columns[spec.name])
        observed, foreign = columns["card_observed_mib"], columns["card_foreign_mib"]
        columns["card_observed_mib"] = np.where(observed == UNKNOWN, UNKNOWN, foreign)
        settle(columns)
        for spec in STATE:
            columns[spec.name] = columns[spec.name].astype(spec.dtype, copy=False)
        return Snapshot(list(workers), list(self.order), self.pools, columns)

    def row(self, name: str) -> int:
        """The row of a worker."""
        row = self.rows.get(name)
        if row is None:
            raise InputError("is not there", place=f"worker {name}", next=f"there are {len(self.rows)} others")
        return row


def order_of(worker: Worker) -> Order:
    """Where a worker stands among others: by path, then by a hash of its uid."""
    digest = hashlib.blake2b(worker.uid.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (_sort_key(worker.topology), digest, worker.name)  # the name decides only between equal uids


def hosts_of(workers: Sequence[Worker], uid_hashes: npt.NDArray[np.int64]) -> dict[str, Hosts]:
    """The workers that host each service."""
    found: dict[str, list[tuple[int, TopologyPath]]] = {}
    for row, worker in [(row, worker) for row, worker in enumerate(workers) if worker.services]:
        for service in worker.services:
            found.setdefault(service, []).append((int(uid_hashes[row]), worker.topology))
    return {service: tuple(hosts) for service, hosts in found.items()}


def by_worker(bookings: Iterable[Booking]) -> Mapping[str, list[Booking]]:
    """The bookings of each worker, in order."""
    found: dict[str, list[Booking]] = {}
    for booking in bookings:
        found.setdefault(booking.worker, []).append(booking)
    return found


@lru_cache(maxsize=65_536)
def _sort_key(path: TopologyPath) -> tuple[tuple[bool, str, str], ...]:
    """One object for equal paths: sorting then compares it by identity."""
    return path.sort_key


def _width(columns: Mapping[str, Any]) -> int:
    width: int = columns["card_memory_mib"].shape[1]
    return width
