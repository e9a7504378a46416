"""Who holds the cards of a worker, and what makes a card unusable although it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayplan.cluster.frozen_map import NO_AMOUNTS
from bayplan.cluster.mig_layout import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.cluster.booking import Booking, CardBooking
    from bayplan.cluster.frozen_map import FrozenMap
    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.snapshot import Snapshot
    from bayplan.cluster.worker import Worker
    from bayplan.framework.fork import Fork
    from bayplan.framework.table import Table

_COLUMNS = (
    "card_bookings",
    "card_foreign_mib",
    "card_mig_enabled",
    "card_mig_taken",
    "card_wholes",
    "card_wholly_free",
)


class Holder(NamedTuple):
    """What one replica holds on one worker; `gpus` as `runtime:index`, `memory_mib` over all of them."""

    namespace: str
    workload: str
    replica: int
    priority: int
    gpus: tuple[str, ...]
    memory_mib: int
    cpu_milli: int
    ram_mib: int
    resources: FrozenMap[str, int] = NO_AMOUNTS

    def as_dict(self) -> dict[str, Any]:
        """As the documents print it."""
        return {**self._asdict(), "gpus": list(self.gpus), "resources": dict(self.resources)}


class UnusableCard(NamedTuple):
    """A card that no request for a whole card can get, and why.

    `reason`: `unhealthy`, `mig` (enabled, or an instance is booked), `held` (a booking holds it whole), `shared`
    (bookings hold parts of it) or `foreign` (processes that are not booked use `foreign_mib` of it).
    """

    card: str
    reason: str
    foreign_mib: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """As the documents print it."""
        return self._asdict()


def holders_by_worker(
    snapshot: Snapshot, bookings: Iterable[Booking], workers: Iterable[str] | None = None
) -> Mapping[str, tuple[Holder, ...]]:
    """By the worker's name, its holders in the order of the bookings; only these workers where they are named."""
    wanted = None if workers is None else set(workers)
    found: dict[str, list[Holder]] = {}
    for booking in bookings:
        row = snapshot.rows.get(booking.worker)
        if row is not None and (wanted is None or booking.worker in wanted):
            found.setdefault(booking.worker, []).append(_holder(booking, snapshot.workers[row]))
    return {name: tuple(each) for name, each in found.items()}


def _holder(booking: Booking, worker: Worker) -> Holder:
    return Holder(
        namespace=booking.namespace,
        workload=booking.workload,
        replica=booking.replica,
        priority=booking.priority,
        gpus=tuple(dict.fromkeys(_name(part) for part in booking.cards)),
        memory_mib=held_mib(worker, booking.cards),
        cpu_milli=booking.cpu_milli,
        ram_mib=booking.ram_mib,
        resources=booking.resources,
    )


def _name(part: CardBooking) -> str:
    """The card, or the profile of a MIG instance of no known card."""
    return str(part.card) if part.card is not None else f"mig {part.mig.profile}" if part.mig else part.runtime


def unusable_by_worker(
    snapshot: Snapshot, table: Table | Fork, workers: Iterable[str]
) -> Mapping[str, tuple[UnusableCard, ...]]:
    """Of each of these workers the cards that no request can get whole, in the worker's order."""
    names = [name for name in workers if name in snapshot.rows]
    rows = [snapshot.rows[name] for name in names]
    columns = table.gather(_COLUMNS, np.array(rows, np.intp))
    found: dict[str, list[UnusableCard]] = {name: [] for name in names}
    for line, place in np.argwhere(columns["card_wholly_free"] == 0).tolist():
        gpus = snapshot.workers[rows[line]].gpus
        if place < len(gpus):  # the columns are as wide as the worker with most cards
            found[names[line]].append(_unusable(gpus[place], columns, line, place))
    return {name: tuple(cards) for name, cards in found.items()}


def _unusable(gpu: Gpu, columns: Mapping[str, Any], line: int, place: int) -> UnusableCard:
    now = {name: int(column[line, place]) for name, column in columns.items()}
    return UnusableCard(str(gpu.card), _reason(now, healthy=gpu.healthy), now["card_foreign_mib"] or None)


def _reason(now: Mapping[str, int], *, healthy: bool) -> str:
    """The first that applies."""
    reasons = {
        "unhealthy": not healthy,
        "mig": now["card_mig_enabled"] or now["card_mig_taken"],
        "held": now["card_wholes"],
        "shared": now["card_bookings"],
    }
    return next((reason for reason, applies in reasons.items() if applies), "foreign")


def held_mib(worker: Worker, cards: Iterable[CardBooking]) -> int:
    """What a booking holds of the memory of a worker's cards."""
    return sum(_card_mib(worker, part) for part in cards)


def _card_mib(worker: Worker, part: CardBooking) -> int:
    """All of a card that is held whole, an instance's part of it; 0 where the card or its size is not known."""
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
