"""What a plan changes about how cards are cut into MIG instances: a preview, for nothing is done here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.mig_layout import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.gpu import CardId, Gpu
    from bayplan.cluster.mig import MigInstance
    from bayplan.cluster.worker import Worker

    Instances = dict[tuple[str, CardId], list[MigInstance]]


MOST_TOLD = 4
"""Reconfigurations that a message lists: more would not be read; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Reconfiguration:
    """What must be done to one card before a plan's bookings are there; only free instances are removed."""

    worker: str
    card: CardId
    enable: bool
    remove: tuple[MigInstance, ...]
    create: tuple[MigInstance, ...]

    def __str__(self) -> str:
        steps = ["is switched to MIG"] if self.enable else []
        steps += [f"loses {_listed(self.remove)}, which no booking uses"] if self.remove else []
        steps += [f"gets {_listed(self.create)}"]
        return f"mig: {self.card} of {self.worker} {', '.join(steps)}"

    def as_dict(self) -> dict[str, Any]:
        """As the documents print it."""
        return {
            "worker": self.worker,
            "runtime": self.card.runtime,
            "index": self.card.index,
            "enable": self.enable,
            "remove": [{"profile": each.profile, "start": each.start} for each in self.remove],
            "create": [{"profile": each.profile, "start": each.start} for each in self.create],
        }


def reconfigurations(
    bookings: Iterable[Booking], held: Iterable[Booking], workers: Mapping[str, Worker]
) -> tuple[Reconfiguration, ...]:
    """What these new bookings need beside existing instances, card by card."""
    wanted = _instances(bookings)
    there = _instances(held) if wanted else {}
    found = (_of_card(workers[name], card, wanted[name, card], there.get((name, card), ())) for name, card in wanted)
    return tuple(each for each in found if each is not None)


def as_cut(worker: Worker, bookings: Iterable[Booking]) -> Worker:
    """The worker after its cards were cut into the instances that the bookings hold."""
    held = _instances(bookings)
    gpus = tuple(_cut(gpu, held.get((worker.name, gpu.card), ())) for gpu in worker.gpus)
    return worker if gpus == worker.gpus else replace(worker, gpus=gpus)


def told(recut: Sequence[Reconfiguration]) -> list[str]:
    """The warnings of a plan: the first few cards in words."""
    more = len(recut) - MOST_TOLD
    last = (
        [f"mig: {more} more card{'s' * (more > 1)} would be reconfigured: see `reconfigurations`"] if more > 0 else []
    )
    return [*map(str, recut[:MOST_TOLD]), *last]


def _instances(bookings: Iterable[Booking]) -> Instances:
    found: Instances = {}
    for booking, card, instance in _parts(bookings):
        found.setdefault((booking.worker, card), []).append(instance)
    return found


def _parts(bookings: Iterable[Booking]) -> Iterator[tuple[Booking, CardId, MigInstance]]:
    for booking in bookings:
        for part in booking.cards:
            if part.mig is not None and part.card is not None:
                yield booking, part.card, part.mig


def _of_card(
    worker: Worker, card: CardId, wanted: Sequence[MigInstance], held: Sequence[MigInstance]
) -> Reconfiguration | None:
    gpu = worker.gpu(card)
    if gpu is None or gpu.mig is None:
        return None
    listed = gpu.mig.slices if gpu.mig.enabled else ()
    there = set(map(_key, listed))
    create = tuple(sorted((each for each in wanted if _key(each) not in there), key=_start))
    if not create:
        return None
    gone, kept = _mask(gpu, create), _mask(gpu, held)
    remove = tuple(each for each in listed if (mask := _mask(gpu, (each,))) & gone and not mask & kept)
    return Reconfiguration(worker.name, card, not gpu.mig.enabled and not held, remove, create)


def _cut(gpu: Gpu, held: Sequence[MigInstance]) -> Gpu:
    """A held instance that is not listed was created, and listed instances that overlap it were removed."""
    if gpu.mig is None or not gpu.mig.reconfigurable:
        return gpu
    listed = gpu.mig.slices if gpu.mig.enabled else ()
    there = set(map(_key, listed))
    made = [each for each in held if _key(each) not in there]
    if not made:
        return gpu
    gone = _mask(gpu, made)
    slices = sorted([*made, *(each for each in listed if not _mask(gpu, (each,)) & gone)], key=_start)
    return replace(gpu, mig=replace(gpu.mig, enabled=True, slices=tuple(slices)))


def _start(instance: MigInstance) -> int:
    return instance.start or 0


def _mask(gpu: Gpu, instances: Iterable[MigInstance]) -> int:
    layout, mask = layout_of(gpu), 0
    for each in instances:
        mask |= layout.mask(each)
    return mask


def _key(instance: MigInstance) -> tuple[str, int | None]:
    return instance.profile.lower(), instance.start


def _listed(instances: Iterable[MigInstance]) -> str:
    return ", ".join(map(str, instances))
