"""The truth about who holds what: every change is whole or not at all, and names the state it was planned on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bayplan.cluster.capacity import CapacityError, shortages
from bayplan.cluster.claims import Claims
from bayplan.cluster.entries import Entries, Entry
from bayplan.cluster.gang_minimum import members_of, minimums_of, short_gangs
from bayplan.cluster.identity import GangKey, WorkloadKey
from bayplan.cluster.quantities import MAX_CPU_MILLI, MAX_MIB
from bayplan.cluster.snapshot import Snapshot
from bayplan.framework.errors import ConflictError, InputError
from bayplan.framework.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence, Set

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.holding import Holding
    from bayplan.cluster.identity import ReplicaKey
    from bayplan.cluster.worker import Worker, WorkerStatus
    from bayplan.framework.fork import Fork

Expected: TypeAlias = "int | Mapping[str, int]"
"""What a plan was made on: the version of each worker it touches, or the ledger's revision for all of them."""

_NO_GANGS: Mapping[GangKey, int] = {}
_SHOWN = 3  # workers that an error names

FEW_RELEASED = 16
"""Up to this many bookings are released one by one; NumPy on whole columns is faster only with more of them."""


class Ledger:
    """Keeps entries and the columns of a table in step, row by row. It has no clock: time is an argument.

    A plan is made on versions of workers; a change that names other ones is a ConflictError, however many other
    workers moved meanwhile. A worker's version grows with every change of what it is, offers or has free. Entries
    of workers that are gone stay until they are released. One writer owns a ledger.
    What is `foreseen` cannot be observed yet: there, what other processes use of a card stays as it is.
    """

    def __init__(
        self,
        workers: Iterable[Worker] = (),
        entries: Iterable[Entry] = (),
        *,
        gangs: Mapping[GangKey, int] = _NO_GANGS,
        revision: int = 0,
    ) -> None:
        """A ledger as it was: entries are taken unchecked, even where they exceed the capacity.

        `revision` is the one it had reached, so that no number of a binding is ever given twice.
        """
        self._entries = Entries(entries)
        self.gangs: dict[GangKey, int] = dict(gangs)
        """The least number of members by gang, of those whose minimum is known."""
        # 0, because max of one number is an error
        self.revision: int = max(revision, *(entry.binding for entry in self._entries), 0)
        self.snapshot = Snapshot.load(tuple(workers), self.bookings)
        self.table: Table | Fork = self.snapshot.table
        self.foreseen = False
        self._began = self.revision
        self._moved_at: dict[str, int] = {}  # the versions of workers that changed since

    @classmethod
    def of(cls, cluster: Cluster, *, gangs: Mapping[GangKey, int] = _NO_GANGS) -> Ledger:
        """The ledger of a document; what one replica holds on several workers counts as bound by one change."""
        return cls(cluster.workers, _bound(cluster.bookings), gangs=gangs)

    @classmethod
    def planned(cls, snapshot: Snapshot, bookings: Iterable[Booking]) -> Ledger:
        """A ledger for plans on a snapshot that counts these bookings; the snapshot's own table stays as it is."""
        made = cls((), _bound(bookings))
        made.snapshot, made.table, made.foreseen = snapshot, snapshot.table.apart(), True
        return made

    def fork(self) -> Ledger:
        """A ledger to try changes in. It holds while this one stands still."""
        other = self._copy()
        other.table = self.table.fork() if isinstance(self.table, Table) else self.table.copy()
        return other

    def planned_on(self, snapshot: Snapshot) -> Ledger:
        """A ledger for plans with the same bookings, on a snapshot that counts them."""
        other = self._copy()
        other.snapshot, other.table, other.foreseen = snapshot, snapshot.table.apart(), True
        return other

    def _copy(self) -> Ledger:
        other = object.__new__(Ledger)
        vars(other).update(vars(self))
        other._entries = self._entries.fork()
        other.gangs, other._moved_at = dict(self.gangs), dict(self._moved_at)
        return other

    @property
    def workers(self) -> tuple[Worker, ...]:
        return tuple(self.snapshot.workers)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries)

    @property
    def bookings(self) -> tuple[Booking, ...]:
        """All that is booked or reserved, on workers that are there or not."""
        return tuple([entry.booking for entry in self._entries])

    @property
    def stranded(self) -> tuple[Entry, ...]:
        """What is held on workers that are gone."""
        gone = [name for name in self._entries.worker_names if name not in self.snapshot.rows]
        return tuple(entry for name in gone for entry in self._entries.on_worker(name))

    def held_by(self, owner: ReplicaKey) -> tuple[Entry, ...]:
        """What a replica holds."""
        return self._entries.of_owner(owner)

    def held_by_workload(self, workload: WorkloadKey) -> list[Booking]:
        """What a workload holds, in the order in which it was booked."""
        return [entry.booking for entry in self._entries.of_workload(workload)]

    def held_by_names(self, namespace: str, names: Iterable[str]) -> list[Booking]:
        """What workloads or gangs of these names hold in a namespace; a booking that both name stands in it twice."""
        found: list[Booking] = []
        for name in names:
            found += self.held_by_workload(WorkloadKey(namespace, name))
            found += [entry.booking for entry in self._entries.of_gang(GangKey(namespace, name))]
        return found

    def held_on(self, worker: str) -> tuple[Entry, ...]:
        """What is held on a worker, whether it is there or not."""
        return self._entries.on_worker(worker)

    def versions(self, workers: Iterable[str] | None = None) -> dict[str, int]:
        """The versions that a plan made now is made on."""
        rows, moved, began = self.snapshot.rows, self._moved_at, self._began
        return {name: moved.get(name, began) for name in (rows if workers is None else workers) if name in rows}

    @property
    def moved_workers(self) -> Collection[str]:
        """The workers that changed since this ledger was made."""
        return self._moved_at.keys()

    def book(
        self,
        bookings: Sequence[Booking],
        *,
        expected: Expected,
        allow_overcommit: bool = False,
        gangs: Mapping[GangKey, int] = _NO_GANGS,
        released: Sequence[Booking] = (),
    ) -> int:
        """Book all of them or none; the number of the binding.

        `gangs` gives the minimum of gangs that are met for the first time; without it, all members of this call.
        What is `released` makes room in the same change: either both happen or nothing does.
        """
        return self._bind(bookings, expected, None, gangs, released, allow_overcommit=allow_overcommit)

    def reserve(
        self,
        bookings: Sequence[Booking],
        *,
        expected: Expected,
        expires_s: float,
        allow_overcommit: bool = False,
        gangs: Mapping[GangKey, int] = _NO_GANGS,
    ) -> int:
        """Hold the room until a time, as if booked; `confirm` makes it a booking."""
        return self._bind(bookings, expected, expires_s, gangs, (), allow_overcommit=allow_overcommit)

    def admit(self, bookings: Iterable[Booking]) -> None:
        """Count what is held already, whatever the ledger thinks of it: facts are not refused, even beyond capacity."""
        rows = self.snapshot.rows
        holdings: dict[str, Holding] = {}
        exceeding: list[tuple[Booking, bool]] = []
        for booking in bookings:
            exceeds = False
            if booking.worker in rows:
                holding = self._holding(holdings, booking.worker)
                exceeds = bool(shortages(holding, booking))
                holding.count(booking, 1)
            exceeding.append((booking, exceeds))
        self._write(holdings)
        self._entries.enter([Entry(booking, self.revision, exceeds) for booking, exceeds in exceeding])

    def confirm(self, binding: int, *, now_s: float) -> tuple[Entry, ...]:
        """Make a reservation a booking, whole; too late is a lost race, even if `expire` was not called yet."""
        held = [entry for entry in self._entries.of_binding(binding) if entry.reserved]
        if not held:
            raise ConflictError("no longer holds anything", place=f"reservation {binding}", next="decide again")
        lapsed = min(entry.expires_s for entry in held if entry.expires_s is not None)
        if lapsed <= now_s:
            message = f"expired at {lapsed:g} s; the time is {now_s:g} s"
            raise ConflictError(message, place=f"reservation {binding}", next="decide again")
        self.revision += 1
        confirmed = tuple(replace(entry, expires_s=None) for entry in held)
        self._entries.strike(held)
        self._entries.enter(confirmed)
        return confirmed

    def expire(self, now_s: float) -> tuple[Entry, ...]:
        """Release every reservation whose time has come."""
        lapsed = [e for e in self._entries.reserved if e.expires_s is not None and e.expires_s <= now_s]
        self._release(lapsed)
        return tuple(lapsed)

    def release(self, bookings: Sequence[Booking], *, expected: Expected | None = None) -> None:
        """Release all of them or none. `expected` may be left out: what is held may be given back in any state."""
        if expected is not None:
            self._compare(bookings, expected)
        self._release(self._find(bookings))

    def _find(self, bookings: Sequence[Booking]) -> list[Entry]:
        """The entries of these bookings; a booking that is named twice has to be there twice."""
        left: dict[ReplicaKey, list[Entry]] = {}
        found: list[Entry] = []
        for booking in bookings:
            owner = booking.owner
            held = left.get(owner)
            if held is None:
                held = left[owner] = list(self.held_by(owner))
            very = (each for each in held if each.booking is booking)  # of equal bookings this one, if it is there
            entry = next(very, None) or next((each for each in held if each.booking == booking), None)
            if entry is None:
                message = f"does not hold that on worker {booking.worker}"
                raise ConflictError(message, place=_named(booking), next="read what it holds, and plan again")
            held[:] = [each for each in held if each is not entry]
            found.append(entry)
        return found

    def add_workers(self, workers: Sequence[Worker]) -> None:
        """More workers; what is still held on a worker of that name counts on it."""
        names = {worker.name for worker in workers}
        self._stand_on(self.snapshot.with_workers(workers, self._bookings_on(names)))
        self._moved(names)

    def remove_workers(self, names: Collection[str]) -> None:
        """Fewer workers; what is held on them stays in the ledger."""
        self._stand_on(self.snapshot.without(names))
        self._moved(())  # the revision grows although no worker that is left has moved
        for name in set(names):
            self._moved_at.pop(name, None)

    def update_worker(self, worker: Worker, *, expected: Expected | None = None) -> None:
        """What is now known of a worker that is there: health, use seen on its cards, labels, status."""
        if expected is not None:
            self._compare_workers((worker.name,), expected)
        self._stand_on(self.snapshot.updated(worker, self._bookings_on((worker.name,))))
        self._moved((worker.name,))

    def set_status(self, name: str, status: WorkerStatus, *, expected: Expected | None = None) -> None:
        """A worker that failed, came back, was closed or opened; what it holds, it holds."""
        worker = self.snapshot.workers[self.snapshot.row(name)]
        self.update_worker(replace(worker, status=status), expected=expected)

    def _stand_on(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.table = snapshot.table

    def _bind(
        self,
        bookings: Sequence[Booking],
        expected: Expected,
        expires_s: float | None,
        gangs: Mapping[GangKey, int],
        released: Sequence[Booking],
        *,
        allow_overcommit: bool,
    ) -> int:
        rows = self.snapshot.rows
        leaving = [booking for booking in released if booking.worker in rows]  # where they are gone, nothing is counted
        self._compare((*leaving, *bookings) if leaving else bookings, expected)
        gone = self._find(released)
        self._refuse_bound(bookings, {id(entry) for entry in gone})
        members = members_of(bookings)
        minimums = minimums_of(members, self._entries, self.gangs, gangs)
        lacking = short_gangs(members, self._entries, minimums)
        holdings: dict[str, Holding] = {}
        for booking in leaving:
            self._holding(holdings, booking.worker).count(booking, -1)
        exceeding: list[bool] = []
        for booking in bookings:
            holding = self._holding(holdings, booking.worker)
            found = shortages(holding, booking)
            lacking += [each for each in found if not (allow_overcommit and each.amount)]
            exceeding.append(bool(found))
            holding.count(booking, 1)
        if lacking:
            raise CapacityError(lacking)
        self._write(holdings)
        self._strike(gone)
        self.gangs.update(minimums)
        made = zip(bookings, exceeding, strict=True)
        self._entries.enter([Entry(booking, self.revision, exceeds, expires_s) for booking, exceeds in made])
        return self.revision

    def _holding(self, holdings: dict[str, Holding], worker: str) -> Holding:
        holding = holdings.get(worker)
        if holding is None:
            row = self.snapshot.rows[worker]
            holding = holdings[worker] = self.snapshot.holding(row, self.table, foreseen=self.foreseen)
        return holding

    def _release(self, entries: Sequence[Entry]) -> None:
        rows = self.snapshot.rows
        there = [entry.booking for entry in entries if entry.booking.worker in rows]
        if self.foreseen and len(there) > FEW_RELEASED:  # `Claims` counts only what is foreseen
            self._release_many(there)
        elif entries:
            holdings: dict[str, Holding] = {}
            for booking in there:
                self._holding(holdings, booking.worker).count(booking, -1)
            self._write(holdings)
        self._strike(entries)

    def _release_many(self, bookings: Sequence[Booking]) -> None:
        """The same by whole columns: rows are counted together."""
        claims = Claims(self.snapshot, bookings)
        rows, case = np.unique(claims.rows, return_inverse=True)
        self.table.write_many(rows, claims.without(rows, case, np.arange(len(bookings)), self.table))
        self._moved({booking.worker for booking in bookings})

    def _strike(self, entries: Sequence[Entry]) -> None:
        self._entries.strike(entries)
        for gang in {gang for entry in entries if (gang := entry.booking.gang_key) is not None}:
            if not self._entries.of_gang(gang):
                self.gangs.pop(gang, None)

    def _write(self, holdings: Mapping[str, Holding]) -> None:
        for name, holding in holdings.items():
            self.table.write(self.snapshot.rows[name], holding.delta)
        self._moved(holdings)

    def _moved(self, names: Iterable[str]) -> None:
        self.revision += 1
        self._moved_at.update(dict.fromkeys(names, self.revision))

    def _bookings_on(self, names: Iterable[str]) -> list[Booking]:
        return [entry.booking for name in names for entry in self._entries.on_worker(name)]

    def _compare(self, bookings: Sequence[Booking], expected: Expected) -> None:
        if not bookings:
            raise InputError("there is nothing to change", place="bookings", next="name at least one booking")
        self._compare_workers(dict.fromkeys(booking.worker for booking in bookings), expected)

    def _compare_workers(self, names: Iterable[str], expected: Expected) -> None:
        moved = []
        for name in names:
            planned = expected if isinstance(expected, int) else expected.get(name)
            if planned is None:
                message = f"the plan does not say on which version of worker {name} it was made"
                raise InputError(message, place="expected", next="pass the ledger's versions along with the plan")
            version = self._moved_at.get(name, self._began)
            if name not in self.snapshot.rows:
                moved.append(f"worker {name} is gone")
            # A revision may be ahead of a worker that stood still since; the version of a worker may not.
            elif version > planned or (version < planned and not isinstance(expected, int)):
                moved.append(f"worker {name} is at version {version}, planned on {planned}")
        if moved:
            shown = ", ".join(moved[:_SHOWN]) + (f" and {len(moved) - _SHOWN} more" if len(moved) > _SHOWN else "")
            raise ConflictError(shown, place="ledger", next="take a fresh snapshot and plan again")

    def _refuse_bound(self, bookings: Sequence[Booking], gone: Set[int]) -> None:
        """What is bound already, or would be bound twice; `gone` are the ids of entries that are released first."""
        places: set[tuple[ReplicaKey, str]] = set()
        for booking in bookings:
            owner = booking.owner
            if held := [entry for entry in self.held_by(owner) if id(entry) not in gone]:
                message = f"is bound already, on worker {held[0].booking.worker}"
                raise ConflictError(message, place=_named(booking), next="release it first, or give it another number")
            there = len(places)
            places.add((owner, booking.worker))
            if len(places) == there:  # the set did not grow: it was in it already
                message = f"is booked twice on worker {booking.worker}"
                raise InputError(message, place=_named(booking), next="put both into one booking")
            amounts = [booking.ram_mib, *[part.memory_mib or 0 for part in booking.cards]]
            amounts += booking.resources.values() if booking.resources else ()
            if booking.cpu_milli > MAX_CPU_MILLI or max(amounts) > MAX_MIB:
                raise InputError("asks for more than any machine has", place=_named(booking), next="ask for less")


def _bound(bookings: Iterable[Booking]) -> list[Entry]:
    """The entries of bookings that a document lists; those of one replica count as bound by one change."""
    numbers: dict[ReplicaKey, int] = {}
    return [Entry(booking, numbers.setdefault(booking.owner, len(numbers) + 1)) for booking in bookings]


def _named(booking: Booking) -> str:
    return f"replica {booking.owner}"
