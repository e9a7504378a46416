"""Whether replicas stand where their workload wants them: what it prefers, and what it requires and may lose later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.workload import Locality
from bayplan.placement.cards.linked.near_sets import APART, SLOW, near_sets
from bayplan.placement.cards.masks import mask_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bayplan.cluster.booking import Booking
    from bayplan.cluster.topology import Level
    from bayplan.cluster.worker import Worker
    from bayplan.cluster.workload import Shape
    from bayplan.placement.decision.placed import Replica

_UNKNOWN_SOCKET = -1  # as in the columns of a snapshot
_OF_CARDS = (Locality.SAME_SOCKET, Locality.NVLINK)  # the others are about workers


def against_preference(replicas: Iterable[Replica], workers: Mapping[str, Worker]) -> int:
    """How many replicas are in a region that their workload does not prefer; one without preferences is in none.

    Workers that are gone since are not judged.
    """
    return sum(
        any(
            (worker := workers.get(booking.worker)) is not None and worker.topology.region not in regions
            for booking in replica.placed.bookings
        )
        for replica in replicas
        if (regions := replica.role.shape.preferred_regions)
    )


def same_place(old: Worker, new: Worker) -> bool:
    """Whether nothing changed that a demand on topology could be about."""
    return old.topology == new.topology and old.links == new.links and _wiring(old) == _wiring(new)


def lost_demands(shape: Shape, booking: Booking, old: Worker, new: Worker) -> tuple[str, ...]:
    """What a replica requires of the topology of its worker, had before, and has no more: codes of rejections."""
    before = set(_unmet(shape, booking, old))
    return tuple(code for code in _unmet(shape, booking, new) if code not in before)


def left_domain(level: Level, others: Iterable[Worker], old: Worker, new: Worker) -> bool:
    """Whether a worker left the domain that it shared with the workers of all other members of a gang."""
    here = old.topology.domain(level)
    return new.topology.domain(level) != here is not None and all(
        each.topology.domain(level) == here for each in others
    )


def _unmet(shape: Shape, booking: Booking, worker: Worker) -> list[str]:
    unmet = [] if not shape.regions or worker.topology.region in shape.regions else ["region"]
    request = shape.gpus
    cards = [worker.position(card) for each in booking.cards if (card := each.card) is not None]
    positions = [each for each in cards if each is not None]
    if request is None or len(positions) < 2:
        return unmet  # one card needs no link
    sockets = tuple(_UNKNOWN_SOCKET if gpu.numa is None else gpu.numa for gpu in worker.gpus)
    near = request.locality if request.locality in _OF_CARDS else None
    sets = near_sets(worker.links, sockets, near, request.min_bandwidth_gb_per_s or 0.0, len(positions))
    lacks = sets.lacks(mask_of(positions))
    return unmet + ["locality"] * bool(lacks & APART) + ["bandwidth-short"] * bool(lacks & SLOW)


def _wiring(worker: Worker) -> Sequence[tuple[str, int, int | None]]:
    return [(gpu.runtime, gpu.index, gpu.numa) for gpu in worker.gpus]
