"""Which replicas are removed when fewer are wanted than are booked, one after the other, and why."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.readable import format_mib
from bayplan.cluster.worker import WorkerStatus
from bayplan.placement.cards.holders import held_mib

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.domains import DomainName
    from bayplan.cluster.topology import Level
    from bayplan.cluster.worker import Worker
    from bayplan.placement.cards.choose import CardOrder


@dataclass(frozen=True, slots=True)
class Removal:
    """A replica that is removed from all of its workers."""

    replica: int
    workers: tuple[str, ...]
    reason: str

    @property
    def worker(self) -> str:
        """The worker, or all of them with commas."""
        return ", ".join(self.workers)

    def as_dict(self) -> dict[str, Any]:
        """As the documents print it."""
        return {"replica": self.replica, "worker": self.worker, "reason": self.reason}


class Held(NamedTuple):
    """What is booked on a worker, or by one booking."""

    bookings: int = 0
    gpu_mib: int = 0
    ram_mib: int = 0

    def less(self, other: Held) -> Held:
        return Held(self.bookings - other.bookings, self.gpu_mib - other.gpu_mib, self.ram_mib - other.ram_mib)

    def plus(self, other: Held) -> Held:
        return Held(self.bookings + other.bookings, self.gpu_mib + other.gpu_mib, self.ram_mib + other.ram_mib)


NOTHING = Held()


def order_removals(
    replicas: Iterable[Booking],
    workers: Mapping[str, Worker],
    order: CardOrder,
    count: int,
    bookings: Iterable[Booking],
    spread_over: Level | None = None,
) -> list[Removal]:
    """The first `count` replicas to remove, of the replicas that these bookings of one workload hold.

    First come replicas on workers that are gone, then replicas on workers that are not ready. Where the workload is
    spread over domains, the domain with the most replicas is next. After that a strategy that looks for even or roomy
    cards takes from the worker with the most replicas of the workload; every other packs, and takes the replica whose
    workers would keep the least booked GPU memory, then RAM, so that workers become empty.
    Each removal counts for the next. Of equal replicas the one with the highest number is removed first. `workers` are
    known by name; `bookings` are all bookings of the cluster, these replicas included.
    """
    crowd = _Crowd(replicas, workers, bookings, spread_over)
    packs = order == "tight"
    key, say = (crowd.pack_key, crowd.pack_reason) if packs else (crowd.spread_key, crowd.spread_reason)

    def turn(replica: int) -> tuple[int, ...]:
        return crowd.readiness(replica), -crowd.in_domain(replica), *key(replica), -replica

    turns = {replica: turn(replica) for replica in crowd.replicas}
    queue = [(each, replica) for replica, each in turns.items()]
    heapify(queue)
    removals: list[Removal] = []
    while queue and len(removals) < count:
        known, replica = heappop(queue)
        if turns.get(replica) != known:
            continue  # it was removed, or has another turn by now
        reason = crowd.status_reason(replica) or crowd.domain_reason(replica) or say(replica)
        removals.append(Removal(replica, tuple(crowd.replicas[replica]), reason))
        del turns[replica]
        for each in crowd.remove(replica):
            if (now := turn(each)) != turns[each]:
                turns[each] = now
                heappush(queue, (now, each))
    return removals


class _Crowd:
    """The replicas that are still there, and what is booked around them."""

    def __init__(
        self,
        replicas: Iterable[Booking],
        workers: Mapping[str, Worker],
        bookings: Iterable[Booking],
        level: Level | None,
    ) -> None:
        self.workers, self.level = workers, level
        self.replicas: dict[int, dict[str, Held]] = {}
        self.held: dict[str, Held] = {}
        self.on: dict[str, set[int]] = {}
        self.inside: dict[DomainName, set[int]] = {}
        for booking in replicas:
            self.on.setdefault(booking.worker, set()).add(booking.replica)
            if (domain := self._domain(booking.worker)) is not None:
                self.inside.setdefault(domain, set()).add(booking.replica)
            held = self.replicas.setdefault(booking.replica, {})
            held[booking.worker] = held.get(booking.worker, NOTHING).plus(self._held_by(booking))
        for booking in bookings:
            self.held[booking.worker] = self.held.get(booking.worker, NOTHING).plus(self._held_by(booking))

    def remove(self, replica: int) -> set[int]:
        """Free what a replica held; the replicas that share a worker or a domain with it, whose order may change."""
        neighbours: set[int] = set()
        for domain in self._domains(replica):
            self.inside[domain].discard(replica)
            neighbours |= self.inside[domain]
        for name, held in self.replicas.pop(replica).items():
            self.held[name] = self.held.get(name, NOTHING).less(held)
            self.on[name].remove(replica)
            neighbours |= self.on[name]
        return neighbours

    def readiness(self, replica: int) -> int:
        """0 where a worker of the replica is gone, 1 where one is not ready, 2 where all are."""
        return min(self._readiness(name) for name in self.replicas[replica])

    def in_domain(self, replica: int) -> int:
        """How many replicas are in its domain, in the fullest of several; 0 where the workload is not spread."""
        return max((len(self.inside[domain]) for domain in self._domains(replica)), default=0)

    def domain_reason(self, replica: int) -> str | None:
        """Where its domain has more replicas than another one that has some."""
        here = self.in_domain(replica)
        if self.level is None or all(len(there) >= here for there in self.inside.values()):
            return None
        name = max(self._domains(replica), key=lambda domain: len(self.inside[domain]))[-1]
        return f"{self.level} {name} has the most replicas of this workload: {here}"

    def pack_key(self, replica: int) -> tuple[int, ...]:
        kept = self._kept(replica)
        return kept.gpu_mib, kept.ram_mib

    def spread_key(self, replica: int) -> tuple[int, ...]:
        return (-max(len(self.on[name]) for name in self.replicas[replica]),)

    def status_reason(self, replica: int) -> str | None:
        """Of the replica's worst worker, where it is not ready."""
        name = min(self.replicas[replica], key=self._readiness)
        worker = self.workers.get(name)
        if worker is None:
            return f"worker {name} is no longer in the cluster"
        if worker.status is WorkerStatus.READY:
            return None
        return f"worker {name} is {worker.status.replace('-', ' ')}"

    def pack_reason(self, replica: int) -> str:
        kept, names = self._kept(replica), list(self.replicas[replica])
        subject = f"worker{'s' * (len(names) > 1)} {', '.join(names)}"
        if not kept.bookings:
            return f"{subject} would be empty without it"
        gpu, ram = format_mib(kept.gpu_mib), format_mib(kept.ram_mib)
        return f"{subject} would be left with the least booked: {gpu} GPU memory, {ram} RAM"

    def spread_reason(self, replica: int) -> str:
        name = max(self.replicas[replica], key=lambda each: len(self.on[each]))
        return f"worker {name} has the most replicas of this workload: {len(self.on[name])}"

    def _domain(self, name: str) -> DomainName | None:
        worker = self.workers.get(name)
        return None if worker is None or self.level is None else worker.topology.domain(self.level)

    def _domains(self, replica: int) -> set[DomainName]:
        return {domain for name in self.replicas[replica] if (domain := self._domain(name)) is not None}

    def _readiness(self, name: str) -> int:
        worker = self.workers.get(name)
        return 0 if worker is None else 1 + (worker.status is WorkerStatus.READY)

    def _kept(self, replica: int) -> Held:
        """What would still be booked on the replica's workers, all of them together."""
        kept = NOTHING
        for name, held in self.replicas[replica].items():
            kept = kept.plus(self.held.get(name, NOTHING).less(held))
        return kept

    def _held_by(self, booking: Booking) -> Held:
        worker = self.workers.get(booking.worker)
        return Held(1, 0 if worker is None else held_mib(worker, booking.cards), booking.ram_mib)
