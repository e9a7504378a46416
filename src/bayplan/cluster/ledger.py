"""The truth about who holds what: every change is whole or not at all, and names the state it was planned on."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from bayplan.cluster.capacity import CapacityError, Shortage, shortages
from bayplan.cluster.entries import Entries, Entry
from bayplan.cluster.quantities import MAX_CPU_MILLI, MAX_MIB
from bayplan.cluster.snapshot import Snapshot
from bayplan.framework.errors import ConflictError, InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.holding import Holding
    from bayplan.cluster.identity import GangKey, ReplicaKey
    from bayplan.cluster.worker import Worker, WorkerStatus

Expected: TypeAlias = "int | Mapping[str, int]"
"""What a plan was made on: the version of each worker it touches, or the ledger's revision for all of them."""

_NO_GANGS: Mapping[GangKey, int] = {}
_SHOWN = 3


class Ledger:
    """Keeps entries and the snapshot's columns in step, row by row. It has no clock: time is an argument.

    A plan is made on versions of workers; a change that names other ones is a ConflictError, however many other
    workers moved meanwhile. A worker's version grows with every change of what it is, offers or has free. Entries
    of workers that are gone stay until they are released. One writer owns a ledger.
    """

    def __init__(
        self,
        workers: Iterable[Worker] = (),
        entries: Iterable[Entry] = (),
        *,
        gangs: Mapping[GangKey, int] = _NO_GANGS,
        revision: int = 0,
    ) -> None:
        """A ledger as it was: entries are taken as they are, even those that exceed what is there.

        `revision` is the one it had reached, so that no number of a binding is ever given twice.
        """
        self._entries = Entries(entries)
        self.gangs: dict[GangKey, int] = dict(gangs)
        """The least number of members by gang, of those whose minimum is known."""
        self.revision: int = max(revision, *(entry.binding for entry in self._entries), 0)
        self.snapshot = Snapshot.load(tuple(workers), self.bookings)
        self._versions: dict[str, int] = dict.fromkeys(self.snapshot.rows, self.revision)

    @classmethod
    def of(cls, cluster: Cluster, *, gangs: Mapping[GangKey, int] = _NO_GANGS) -> Ledger:
        """The ledger of a document; what one replica holds on several workers counts as bound by one change."""
        numbers: dict[ReplicaKey, int] = {}
        entries = [Entry(booking, numbers.setdefault(booking.owner, len(numbers) + 1)) for booking in cluster.bookings]
        return cls(cluster.workers, entries, gangs=gangs)

    @property
    def workers(self) -> tuple[Worker, ...]:
        return tuple(self.snapshot.workers)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries)

    @property
    def bookings(self) -> tuple[Booking, ...]:
        """All that is booked or reserved, on workers that are there or not."""
        return tuple(entry.booking for entry in self._entries)

    @property
    def stranded(self) -> tuple[Entry, ...]:
        """What is held on workers that are gone."""
        gone = [name for name in self._entries.worker_names if name not in self.snapshot.rows]
        return tuple(entry for name in gone for entry in self._entries.on_worker(name))

    def held_by(self, owner: ReplicaKey) -> tuple[Entry, ...]:
        """What a replica holds."""
        return self._entries.of_owner(owner)

    def held_on(self, worker: str) -> tuple[Entry, ...]:
        """What is held on a worker, whether it is there or not."""
        return self._entries.on_worker(worker)

    def versions(self, workers: Iterable[str] | None = None) -> dict[str, int]:
        """The versions that a plan made now is made on."""
        known = self._versions
        return dict(known) if workers is None else {name: known[name] for name in workers if name in known}

    def book(
        self,
        bookings: Sequence[Booking],
        *,
        expected: Expected,
        allow_overcommit: bool = False,
        gangs: Mapping[GangKey, int] = _NO_GANGS,
    ) -> int:
        """Book all of them or none; the number of the binding.

        `gangs` gives the minimum of gangs that are met for the first time; without it, all members of this call.
        """
        return self._bind(bookings, expected, None, gangs, allow_overcommit=allow_overcommit)

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
        return self._bind(bookings, expected, expires_s, gangs, allow_overcommit=allow_overcommit)

    def confirm(self, binding: int, *, now_s: float) -> tuple[Entry, ...]:
        """Make a reservation a booking, whole; too late is a lost race, even if nobody swept it away yet."""
        held = [entry for entry in self._entries.of_binding(binding) if entry.reserved]
        if not held:
            raise ConflictError("no longer holds anything", place=f"reservation {binding}", next="decide again")
        lapsed = min(entry.expires_s for entry in held if entry.expires_s is not None)
        if lapsed <= now_s:
            message = f"expired at {lapsed:g} s; the time is {now_s:g} s"
            raise ConflictError(message, place=f"reservation {binding}", next="decide again")
        self.revision += 1
        confirmed = tuple(replace(entry, expires_s=None) for entry in held)
        for entry in held:
            self._entries.strike(entry)
        for entry in confirmed:
            self._entries.enter(entry)
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
        left = {booking.owner: list(self.held_by(booking.owner)) for booking in bookings}
        found: list[Entry] = []
        for booking in bookings:
            entry = next((entry for entry in left[booking.owner] if entry.booking == booking), None)
            if entry is None:
                message = f"does not hold that on worker {booking.worker}"
                raise ConflictError(message, place=_named(booking), next="read what it holds, and plan again")
            left[booking.owner].remove(entry)
            found.append(entry)
        self._release(found)

    def add_workers(self, workers: Sequence[Worker]) -> None:
        """More workers; what is still held on a worker of that name counts on it."""
        names = {worker.name for worker in workers}
        self.snapshot = self.snapshot.with_workers(workers, self._bookings_on(names))
        self._moved(names)

    def remove_workers(self, names: Collection[str]) -> None:
        """Fewer workers; what is held on them stays in the ledger."""
        self.snapshot = self.snapshot.without(names)
        self._moved(())
        for name in set(names):
            del self._versions[name]

    def update_worker(self, worker: Worker, *, expected: Expected | None = None) -> None:
        """What is now known of a worker that is there: health, use seen on its cards, labels, status."""
        if expected is not None:
            self._compare_workers((worker.name,), expected)
        self.snapshot = self.snapshot.updated(worker, self._bookings_on((worker.name,)))
        self._moved((worker.name,))

    def set_status(self, name: str, status: WorkerStatus, *, expected: Expected | None = None) -> None:
        """A worker that failed, came back, was closed or opened; what it holds, it holds."""
        worker = self.snapshot.workers[self.snapshot.row(name)]
        self.update_worker(replace(worker, status=status), expected=expected)

    def _bind(
        self,
        bookings: Sequence[Booking],
        expected: Expected,
        expires_s: float | None,
        gangs: Mapping[GangKey, int],
        *,
        allow_overcommit: bool,
    ) -> int:
        self._compare(bookings, expected)
        self._refuse_bound(bookings)
        members = _members(bookings)
        minimums = self._minimums(members, gangs)
        lacking = self._short_gangs(members, minimums)
        holdings: dict[str, Holding] = {}
        exceeding: list[bool] = []
        for booking in bookings:
            holding = holdings.get(booking.worker)
            if holding is None:
                row = self.snapshot.rows[booking.worker]
                holding = holdings[booking.worker] = self.snapshot.holding(row)
            found = shortages(holding, booking)
            lacking += [each for each in found if not (allow_overcommit and each.amount)]
            exceeding.append(bool(found))
            holding.count(booking, 1)
        if lacking:
            raise CapacityError(lacking)
        self._write(holdings)
        self.gangs.update(minimums)
        for booking, exceeds in zip(bookings, exceeding, strict=True):
            self._entries.enter(Entry(booking, self.revision, exceeds, expires_s))
        return self.revision

    def _release(self, entries: Sequence[Entry]) -> None:
        rows = self.snapshot.rows
        holdings: dict[str, Holding] = {}
        for entry in entries:
            name = entry.booking.worker
            if name in rows:
                if name not in holdings:
                    holdings[name] = self.snapshot.holding(rows[name])
                holdings[name].count(entry.booking, -1)
        if entries:
            self._write(holdings)
        for entry in entries:
            self._entries.strike(entry)
            gang = entry.booking.gang_key
            if gang is not None and not self._entries.of_gang(gang):
                self.gangs.pop(gang, None)

    def _write(self, holdings: Mapping[str, Holding]) -> None:
        for name, holding in holdings.items():
            self.snapshot.table.write(self.snapshot.rows[name], holding.delta)
        self._moved(holdings)

    def _moved(self, names: Iterable[str]) -> None:
        self.revision += 1
        self._versions.update(dict.fromkeys(names, self.revision))

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
            version = self._versions.get(name)
            if version is None:
                moved.append(f"worker {name} is gone")
            elif version > planned or (version < planned and not isinstance(expected, int)):
                moved.append(f"worker {name} is at version {version}, planned on {planned}")
        if moved:
            shown = ", ".join(moved[:_SHOWN]) + (f" and {len(moved) - _SHOWN} more" if len(moved) > _SHOWN else "")
            raise ConflictError(shown, place="ledger", next="take a fresh snapshot and plan again")

    def _refuse_bound(self, bookings: Sequence[Booking]) -> None:
        places = Counter((booking.owner, booking.worker) for booking in bookings)
        for booking in bookings:
            if held := self.held_by(booking.owner):
                message = f"is bound already, on worker {held[0].booking.worker}"
                raise ConflictError(message, place=_named(booking), next="release it first, or give it another number")
            if places[booking.owner, booking.worker] > 1:
                message = f"is booked twice on worker {booking.worker}"
                raise InputError(message, place=_named(booking), next="put both into one booking")
            amounts = (booking.ram_mib, *(part.memory_mib or 0 for part in booking.cards))
            others = booking.resources.values()
            if booking.cpu_milli > MAX_CPU_MILLI or max(amounts) > MAX_MIB or any(each > MAX_MIB for each in others):
                raise InputError("asks for more than any machine has", place=_named(booking), next="ask for less")

    def _minimums(self, members: Mapping[GangKey, set[ReplicaKey]], gangs: Mapping[GangKey, int]) -> dict[GangKey, int]:
        """The minimum of each gang that these members belong to: the one it began with, where it is there."""
        minimums = {}
        for gang, owners in members.items():
            if not self._entries.of_gang(gang):
                minimums[gang] = gangs.get(gang, len(owners))
            elif gang in self.gangs:
                minimums[gang] = self.gangs[gang]
        return minimums

    def _short_gangs(
        self, members: Mapping[GangKey, set[ReplicaKey]], minimums: Mapping[GangKey, int]
    ) -> list[Shortage]:
        short = []
        for gang, least in minimums.items():
            count = len(members[gang].union(entry.owner for entry in self._entries.of_gang(gang)))
            if count < least:
                short.append(Shortage("gang-short", f"gang {gang}", least, count, "members", amount=False))
        return short


def _members(bookings: Iterable[Booking]) -> dict[GangKey, set[ReplicaKey]]:
    members: dict[GangKey, set[ReplicaKey]] = {}
    for booking in bookings:
        if (gang := booking.gang_key) is not None:
            members.setdefault(gang, set()).add(booking.owner)
    return members


def _named(booking: Booking) -> str:
    return f"replica {booking.owner}"
