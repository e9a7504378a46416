"""Which replicas go when fewer are wanted than are booked, one after the other, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bayplan.cluster.mig_layout import layout_of
from bayplan.cluster.readable import format_mib
from bayplan.cluster.worker import WorkerStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from bayplan.cluster.booking import Booking, CardBooking
    from bayplan.cluster.worker import Worker
    from bayplan.placement.cards.looking import CardOrder


@dataclass(frozen=True, slots=True)
class Removal:
    """A replica that goes, whole, from every worker it stands on."""

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
) -> list[Removal]:
    """The first `count` replicas to go, of those that these bookings of one workload hold.

    First the replicas on workers that are gone, then those on workers that are not ready. After that a strategy that
    looks for even or roomy cards takes from the worker with the most replicas of the workload; every other packs, and
    takes the replica whose workers would keep the least booked GPU memory, then RAM, so that workers become empty.
    Each removal counts for the next. Equals go from the highest number down. `workers` are known by name; `bookings`
    are those of everybody, these replicas included.
    """
    crowd = _Crowd(replicas, workers, bookings)
    packs = order == "tight"
    key, say = (crowd.pack_key, crowd.pack_reason) if packs else (crowd.spread_key, crowd.spread_reason)
    turns = {replica: (crowd.standing(replica), *key(replica), -replica) for replica in crowd.replicas}
    removals: list[Removal] = []
    while turns and len(removals) < count:
        replica = min(turns, key=turns.__getitem__)
        reason = crowd.status_reason(replica) or say(replica)
        removals.append(Removal(replica, tuple(crowd.replicas[replica]), reason))
        del turns[replica]
        turns |= {each: (crowd.standing(each), *key(each), -each) for each in crowd.remove(replica)}
    return removals


class _Crowd:
    """The replicas that are still there, and what is booked around them."""

    def __init__(self, replicas: Iterable[Booking], workers: Mapping[str, Worker], bookings: Iterable[Booking]) -> None:
        self.workers = workers
        self.replicas: dict[int, dict[str, Held]] = {}
        self.held: dict[str, Held] = {}
        self.on: dict[str, set[int]] = {}
        for booking in replicas:
            self.on.setdefault(booking.worker, set()).add(booking.replica)
            stands = self.replicas.setdefault(booking.replica, {})
            stands[booking.worker] = stands.get(booking.worker, NOTHING).plus(self._held_by(booking))
        for booking in bookings:
            self.held[booking.worker] = self.held.get(booking.worker, NOTHING).plus(self._held_by(booking))

    def remove(self, replica: int) -> set[int]:
        """What it held is free from now on; the replicas that stood beside it."""
        neighbours: set[int] = set()
        for name, held in self.replicas.pop(replica).items():
            self.held[name] = self.held.get(name, NOTHING).less(held)
            self.on[name].remove(replica)
            neighbours |= self.on[name]
        return neighbours

    def standing(self, replica: int) -> int:
        """0 where a worker of the replica is gone, 1 where one is not ready, 2 where all are."""
        return min(self._standing(name) for name in self.replicas[replica])

    def pack_key(self, replica: int) -> tuple[int, ...]:
        kept = self._kept(replica)
        return kept.gpu_mib, kept.ram_mib

    def spread_key(self, replica: int) -> tuple[int, ...]:
        return (-max(len(self.on[name]) for name in self.replicas[replica]),)

    def status_reason(self, replica: int) -> str | None:
        """Of the replica's worst worker, where it is not ready."""
        name = min(self.replicas[replica], key=self._standing)
        worker = self.workers.get(name)
        if worker is None:
            return f"worker {name} is not there any more"
        if worker.status is WorkerStatus.READY:
            return None
        return f"worker {name} is {worker.status.replace('-', ' ')}"

    def pack_reason(self, replica: int) -> str:
        kept, names = self._kept(replica), list(self.replicas[replica])
        subject = f"worker{'s' * (len(names) > 1)} {', '.join(names)}"
        if not kept.bookings:
            return f"{subject} would be empty without it"
        gpu, ram = format_mib(kept.gpu_mib), format_mib(kept.ram_mib)
        return f"without it {subject} would keep the least booked: {gpu} of GPU memory, {ram} of RAM"

    def spread_reason(self, replica: int) -> str:
        name = max(self.replicas[replica], key=lambda each: len(self.on[each]))
        return f"no worker holds more replicas of this workload than {name}, which has {len(self.on[name])}"

    def _standing(self, name: str) -> int:
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
        return Held(1, 0 if worker is None else _gpu_mib(worker, booking.cards), booking.ram_mib)


def _gpu_mib(worker: Worker, cards: Sequence[CardBooking]) -> int:
    return sum(_card_mib(worker, part) for part in cards)


def _card_mib(worker: Worker, part: CardBooking) -> int:
    """What a booking holds of a card: all of it where it is whole, an instance's part of it; 0 where nobody knows."""
    gpu = None if part.card is None else worker.gpu(part.card)
    if gpu is None:
        return 0
    memory_mib = gpu.memory_mib or 0
    if part.whole:
        return memory_mib
    if part.mig is None:
        return part.memory_mib or 0
    layout = layout_of(gpu)
    return memory_mib * min(layout.slices, layout.mask(part.mig).bit_count()) // layout.slices
