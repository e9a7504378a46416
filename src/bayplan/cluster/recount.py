"""A worker's columns counted once more from nouns and bookings, in plain steps: the second opinion of I13."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.device_offer import Sharing
from bayplan.cluster.worker import WorkerStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.booking import Booking, CardBooking
    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.worker import Worker

_UNKNOWN = -1


def recount(worker: Worker, bookings: Sequence[Booking]) -> dict[str, Any]:
    """What the state columns of this worker ought to say; lists are as long as it has cards."""
    cpu, ram = sum(booking.cpu_milli for booking in bookings), sum(booking.ram_mib for booking in bookings)
    cards = [_recount_card(worker, gpu, bookings) for gpu in worker.gpus]
    names = (
        "card_bookings", "card_booked_mib", "card_headroom_mib", "card_foreign_mib", "card_free_mib",
        "card_free_milli", "card_places_free", "card_mig_taken",
    )  # fmt: skip
    whole = [_is_whole(worker, gpu, bookings) for gpu in worker.gpus]
    return {
        "status": list(WorkerStatus).index(worker.status),
        "bookings": len(bookings),
        "cpu_booked_milli": cpu,
        "ram_booked_mib": ram,
        "cpu_free_milli": _UNKNOWN if worker.cpu_milli is None else max(0, worker.cpu_milli - cpu),
        "ram_free_mib": _UNKNOWN if worker.ram_mib is None else max(0, worker.ram_mib - ram - worker.reserved_ram_mib),
        **{name: [card[name] for card in cards] for name in names},
        **_recount_zones(worker, bookings),
        "gpu_booked_mib": sum(card["card_booked_mib"] for card in cards),
        "card_wholly_free": whole,
        "card_shareable": [_is_shareable(worker, gpu, bookings) for gpu in worker.gpus],
        "card_cuttable": [_is_cuttable(gpu, bookings) for gpu in worker.gpus],
        "wholly_free_count": sum(whole),
        # The column has 16 bits; workers with more cards have no mask.
        "wholly_free": sum(1 << number for number, free in enumerate(whole) if free) if len(whole) <= 16 else 0,
    }


def _recount_card(worker: Worker, gpu: Gpu, bookings: Sequence[Booking]) -> dict[str, int]:
    holders = [booking for booking in bookings if _parts(gpu, booking)]
    parts = [part for booking in holders for part in _parts(gpu, booking)]
    taken = _taken(gpu, parts)
    whole = any(part.whole for part in parts)
    booked = _booked_mib(gpu, parts, taken)
    headroom = sum(part.headroom_mib for part in parts)
    foreign = max(0, (gpu.observed_used_mib or 0) - booked - headroom)
    free = 0
    if gpu.memory_mib is None:
        free = _UNKNOWN
    elif not whole:
        free = max(0, gpu.memory_mib - booked - headroom - foreign - worker.reserved_gpu_memory_mib)
    milli = 0 if whole else max(0, 1000 - sum(part.compute_milli or 0 for part in parts))
    places = _places_free(gpu, parts, free, milli) if _is_shareable(worker, gpu, bookings) else 0
    return {
        "card_bookings": len(holders),
        "card_booked_mib": booked,
        "card_headroom_mib": headroom,
        "card_foreign_mib": foreign,
        "card_free_mib": free,
        "card_free_milli": milli,
        "card_places_free": places,
        "card_mig_taken": sum(1 << number for number in taken),
    }


def _recount_zones(worker: Worker, bookings: Sequence[Booking]) -> dict[str, list[int]]:
    """CPU and RAM beside the first card of bookings that stay in one NUMA zone, where zones are told."""
    cpu, ram = [0] * len(worker.gpus), [0] * len(worker.gpus)
    for booking in bookings if worker.numa is not None else ():
        held = [place for place, gpu in enumerate(worker.gpus) if _parts(gpu, booking)]
        zones = {worker.gpus[place].numa for place in held}
        if len(zones) == 1 and zones != {None}:
            cpu[held[0]] += booking.cpu_milli
            ram[held[0]] += booking.ram_mib
    return {"card_host_milli": cpu, "card_host_mib": ram}


def _parts(gpu: Gpu, booking: Booking) -> list[CardBooking]:
    return [part for part in booking.cards if part.card == gpu.card]


def _booked_mib(gpu: Gpu, parts: Sequence[CardBooking], taken: set[int]) -> int:
    memory = gpu.memory_mib or 0
    if any(part.whole for part in parts):
        return memory
    slices = max(profile.size for profile in gpu.geometry.profiles) if gpu.mig and gpu.geometry else 8
    return sum(part.memory_mib or 0 for part in parts if part.mig is None) + memory * min(slices, len(taken)) // slices


def _taken(gpu: Gpu, parts: Sequence[CardBooking]) -> set[int]:
    """The slices in use; an instance that the card cannot have takes all."""
    taken: set[int] = set()
    for part in parts:
        if part.mig is not None:
            taken |= _slices(gpu, part)
    return taken


def _slices(gpu: Gpu, part: CardBooking) -> set[int]:
    every, instance = set(range(8)), part.mig
    if instance is None or gpu.mig is None:
        return every
    if gpu.geometry is None:
        listed = [(each.profile.lower(), each.start) for each in gpu.mig.slices] if gpu.mig.enabled else []
        wanted = (instance.profile.lower(), instance.start)
        return {listed.index(wanted)} & every or every if wanted in listed else every
    profile = gpu.geometry.profile(instance.profile)
    if profile is None or instance.start is None or instance.start not in profile.starts:
        return every
    return set(range(instance.start, instance.start + profile.size))


def _is_whole(worker: Worker, gpu: Gpu, bookings: Sequence[Booking]) -> bool:
    held = any(_parts(gpu, booking) for booking in bookings)
    return not held and _is_shareable(worker, gpu, bookings) and _is_quiet(gpu)


def _is_shareable(worker: Worker, gpu: Gpu, bookings: Sequence[Booking]) -> bool:
    parts = [part for booking in bookings for part in _parts(gpu, booking)]
    undivided = all(part.mig is None and not part.whole for part in parts)
    if gpu.places is not None and sum(part.places or 1 for part in parts) >= gpu.places:
        return False
    if worker.sharing is Sharing.HAMI and sum(part.compute_milli or 0 for part in parts) >= 1000:
        return False
    return gpu.healthy and not gpu.mig_enabled and undivided


def _places_free(gpu: Gpu, parts: Sequence[CardBooking], free_mib: int, free_milli: int) -> int:
    """Places that may be given at once: their part of the memory and of the compute, rounded down, is free as well."""
    if gpu.places is None:
        return 0
    counts = [gpu.places - sum(part.places or 1 for part in parts)]
    if memory := gpu.memory_mib:
        counts.append(max(0, (free_mib + 1) * gpu.places - 1) // memory)
    counts.append(((free_milli + 1) * gpu.places - 1) // 1000)
    return max(0, min(counts))


def _is_cuttable(gpu: Gpu, bookings: Sequence[Booking]) -> bool:
    parts = [part for booking in bookings for part in _parts(gpu, booking)]
    is_cut = gpu.mig_enabled or bool(parts)
    return gpu.healthy and all(part.mig is not None for part in parts) and (is_cut or _is_quiet(gpu))


def _is_quiet(gpu: Gpu) -> bool:
    """Whether processes that are not in the books use no more of a card than an idle one shows."""
    # Percent, as IDLE_PERCENT and IDLE_PERCENT_OF say.
    return (gpu.observed_used_mib or 0) * 100 <= (gpu.memory_mib or 0) * (8 if gpu.runtime == "cann" else 5)


def resources_free(worker: Worker, bookings: Sequence[Booking]) -> dict[str, int]:
    """By name, how much of other resources is left."""
    free = dict(worker.resources)
    for booking in bookings:
        for name, amount in booking.resources.items():
            free[name] = free.get(name, 0) - amount
    return {name: max(0, amount) for name, amount in free.items()}


def loose_free(worker: Worker, bookings: Sequence[Booking]) -> dict[str, int]:
    """By profile, how many instances of no known card are left."""
    free: dict[str, int] = {}
    for profile, count in worker.mig_slices.items():
        free[profile.lower()] = free.get(profile.lower(), 0) + count
    for booking in bookings:
        for part in booking.cards:
            if part.card is None and part.mig is not None:
                name = part.mig.profile.lower()
                free[name] = free.get(name, 0) - 1
    return {profile: max(0, count) for profile, count in free.items()}
