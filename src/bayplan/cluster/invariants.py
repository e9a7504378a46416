"""What must always hold of a ledger, recounted from its entries without any of the snapshot's arithmetic."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayplan.cluster.recount import loose_free, recount, resources_free

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bayplan.cluster.booking import Booking, CardBooking
    from bayplan.cluster.entries import Entry
    from bayplan.cluster.gpu import CardId, Gpu
    from bayplan.cluster.identity import GangKey, ReplicaKey
    from bayplan.cluster.ledger import Ledger
    from bayplan.cluster.mig import MigInstance
    from bayplan.cluster.worker import Worker

Part = tuple["Entry", "CardBooking"]


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that does not hold, and where."""

    id: str
    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.id} {self.place}: {self.message}"


def check(ledger: Ledger, bindings: Iterable[Booking] | None = None) -> list[Violation]:
    """All violations; `bindings` is what is bound outside of the ledger, where that was read."""
    return [
        *within_capacity(ledger),
        *bound_once(ledger),
        *gangs_whole(ledger),
        *no_drift(ledger, bindings),
    ]


def within_capacity(ledger: Ledger) -> list[Violation]:
    """I1: no GPU, MIG slice or MiB is assigned beyond capacity.

    Amounts may be, where one of their holders was booked with leave to overcommit; a whole card or a slice never.
    What others use and what is kept back is no assignment of ours and does not count here.
    """
    found: list[Violation] = []
    for worker in ledger.workers:
        if entries := ledger.held_on(worker.name):
            problems = (
                *_host(worker, entries),
                *_resources(worker, entries),
                *_loose(worker, entries),
                *_cards(worker, entries),
            )
            found += [Violation("I1", place, message) for place, message in problems]
    return found


def bound_once(ledger: Ledger) -> list[Violation]:
    """I2: a replica is bound at most once: by one change, with one booking on each of its workers."""
    held: dict[ReplicaKey, list[Entry]] = defaultdict(list)
    for entry in ledger.entries:
        held[entry.owner].append(entry)
    found = []
    for replica, entries in held.items():
        place = f"replica {replica}"
        for worker, count in Counter(entry.booking.worker for entry in entries).items():
            if count > 1:
                found.append(Violation("I2", place, f"has {count} bookings on worker {worker}"))
        if len(bindings := {entry.binding for entry in entries}) > 1:
            found.append(Violation("I2", place, f"was bound {len(bindings)} times"))
    return found


def gangs_whole(ledger: Ledger) -> list[Violation]:
    """I3: of a gang either no member is bound or at least its minimum; reservations do not count as bound.

    How long a gang that lost members may stay incomplete is decided by the code that completes it or rolls it back.
    """
    members: dict[GangKey, set[ReplicaKey]] = defaultdict(set)
    for entry in ledger.entries:
        if (gang := entry.booking.gang_key) is not None and not entry.reserved:
            members[gang].add(entry.owner)
    return [
        Violation("I3", f"gang {gang}", f"{len(members[gang])} members are bound, it needs {least}")
        for gang, least in ledger.gangs.items()
        if 0 < len(members[gang]) < least
    ]


def no_drift(ledger: Ledger, bindings: Iterable[Booking] | None = None) -> list[Violation]:
    """I13: the ledger is the sum of its bindings, column by column and, if they are given, booking by booking."""
    found = [each for worker in ledger.snapshot.workers for each in worker_drift(ledger, worker)]
    return found if bindings is None else found + _compared(ledger, bindings)


def worker_drift(ledger: Ledger, worker: Worker) -> Iterator[Violation]:
    """I13 of one worker: its columns against what it holds."""
    snapshot = ledger.snapshot
    row, profiles = snapshot.row(worker.name), snapshot.pools.profiles.values
    if ledger.foreseen:
        worker = _as_foreseen(worker, snapshot.table.columns["card_observed_mib"][row].tolist())
    held = [entry.booking for entry in ledger.held_on(worker.name)]
    free = loose_free(worker, held)
    left = resources_free(worker, held)
    counted = recount(worker, held) | {
        "loose_free": [free.get(profile, 0) for profile in profiles],
        "resource_free": [left.get(name, 0) for name in snapshot.pools.resources.values],
    }
    for name, wanted in counted.items():
        kept = snapshot.table.columns[name][row].tolist()
        kept = kept[: len(wanted)] if isinstance(wanted, list) else kept
        if kept != wanted:
            yield Violation("I13", f"worker {worker.name}", f"{name} is {kept}, bindings make {wanted}")


def _as_foreseen(worker: Worker, observed_mib: Sequence[int]) -> Worker:
    """The worker with the use of its cards as a ledger expects to observe it; -1: nothing was observed."""
    seen = zip(worker.gpus, observed_mib, strict=False)  # the table may have more places
    gpus = tuple(replace(gpu, observed_used_mib=None if used < 0 else used) for gpu, used in seen)
    return replace(worker, gpus=gpus)


def _compared(ledger: Ledger, bindings: Iterable[Booking]) -> list[Violation]:
    ours, theirs = Counter(ledger.bookings), Counter(bindings)
    lost = [(booking, "is bound, the ledger does not know it") for booking in theirs - ours]
    extra = [(booking, "is in the ledger, but not bound") for booking in ours - theirs]
    return [
        Violation("I13", f"replica {booking.owner}", f"on worker {booking.worker} {message}")
        for booking, message in (*lost, *extra)
    ]


def _host(worker: Worker, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    leave = any(entry.overcommitted for entry in entries)
    amounts = (
        ("thousandths of a core", sum(entry.booking.cpu_milli for entry in entries), worker.cpu_milli),
        ("MiB of RAM", sum(entry.booking.ram_mib for entry in entries), worker.ram_mib),
    )
    for unit, assigned, offered in amounts:
        if offered is not None and assigned > offered and not leave:
            yield f"worker {worker.name}", f"{assigned} {unit} are assigned, it has {offered}"


def _resources(worker: Worker, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    assigned: Counter[str] = Counter()
    for entry in entries:
        assigned.update(entry.booking.resources)
    for name, amount in assigned.items():
        if amount > worker.resources.get(name, 0):
            yield f"worker {worker.name}", f"{amount} {name} are assigned, it has {worker.resources.get(name, 0)}"


def _loose(worker: Worker, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    parts = [part for entry in entries for part in entry.booking.cards if part.card is None]
    offered: Counter[str] = Counter()
    for profile, count in worker.mig_slices.items():
        offered[profile.lower()] += count
    for profile, count in Counter(part.mig.profile.lower() for part in parts if part.mig).items():
        if count > offered[profile]:
            yield f"worker {worker.name}", f"{count} instances of {profile} are assigned, it has {offered[profile]}"


def _cards(worker: Worker, entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    held: dict[CardId, list[Part]] = defaultdict(list)
    for entry in entries:
        for part in entry.booking.cards:
            if part.card is not None:
                held[part.card].append((entry, part))
    for card, parts in held.items():
        gpu = worker.gpu(card)
        problems = ["is assigned, but not there"] if gpu is None else [*_kinds(gpu, parts), *_shares(gpu, parts)]
        if gpu is not None:
            problems += _instances(gpu, [part.mig for _, part in parts if part.mig])
        for problem in problems:
            yield f"worker {worker.name}, card {card}", problem


def _kinds(gpu: Gpu, parts: Sequence[Part]) -> Iterator[str]:
    wholes = sum(part.whole for _, part in parts)
    instances = sum(part.mig is not None for _, part in parts)
    if wholes and len(parts) > 1:
        yield f"is held whole, and by {len(parts)} parts of bookings in all"
    elif instances and instances < len(parts):
        yield f"is cut into instances, and {len(parts) - instances} others share it"
    if gpu.mig_enabled and instances < len(parts):
        yield "is cut, and assigned undivided"


def _shares(gpu: Gpu, parts: Sequence[Part]) -> Iterator[str]:
    if any(entry.overcommitted for entry, _ in parts):
        return
    memory = sum((part.memory_mib or 0) + part.headroom_mib for _, part in parts)
    compute = sum(part.compute_milli or 0 for _, part in parts)
    if gpu.memory_mib is not None and memory > gpu.memory_mib:
        yield f"{memory} MiB are assigned, it has {gpu.memory_mib}"
    if compute > 1000:
        yield f"{compute} thousandths of its compute are assigned"
    places = sum(part.places or 1 for _, part in parts if not part.whole and part.mig is None)
    if gpu.places is not None and places > gpu.places:
        yield f"{places} places are assigned, it has {gpu.places}"


def _instances(gpu: Gpu, instances: Sequence[MigInstance]) -> Iterator[str]:
    taken: dict[int, str] = {}
    for instance in instances:
        profile = gpu.geometry.profile(instance.profile) if gpu.geometry else None
        if not _possible(gpu, instance):
            yield f"instance {instance} cannot be on it"
            continue
        start = instance.start or 0
        for number in range(start, start + (profile.size if profile else 1)):
            if number in taken:
                yield f"slice {number} is assigned to {taken[number]} and to {instance}"
                break
            taken[number] = str(instance)


def _possible(gpu: Gpu, instance: MigInstance) -> bool:
    """Whether the card has that slice, or may be cut so."""
    if gpu.mig is None:
        return False
    if not gpu.mig.reconfigurable:
        listed = [(each.profile.lower(), each.start) for each in gpu.mig.slices]
        return gpu.mig.enabled and (instance.profile.lower(), instance.start) in listed
    profile = gpu.geometry.profile(instance.profile) if gpu.geometry else None
    return profile is not None and instance.start in profile.starts
