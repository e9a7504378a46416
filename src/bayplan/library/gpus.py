"""`bayplan.gpus`: free cards as sets that can be used, and who holds the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.snapshot import Snapshot
from bayplan.cluster.worker import WorkerStatus
from bayplan.library.documents import documents_of
from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.placement.answers.free_sets import free_sets
from bayplan.placement.answers.free_sets_document import free_sets_document
from bayplan.placement.cards.holders import UnusableCard, holders_by_worker, unusable_by_worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.cluster.cluster import Cluster


def gpus(cluster: Any, *, holders: bool = False) -> dict[str, Any]:
    """A Gpus document of a cluster of any dialect; with `holders` also who holds cards, and which are unusable."""
    inventory = read_inventory(documents_of(cluster, "cluster"))
    snapshot = Snapshot.of(inventory.cluster)
    document = free_sets_document(free_sets(snapshot))
    if holders:
        document |= _holders(snapshot, inventory.cluster)
    return {**document, "warnings": list(inventory.warnings)}


def _holders(snapshot: Snapshot, cluster: Cluster) -> dict[str, Any]:
    held = holders_by_worker(snapshot, cluster.bookings)
    return {
        "holders": [
            {"worker": worker.name, **each.as_dict()}
            for worker in cluster.workers
            for each in held.get(worker.name, ())
            if each.gpus
        ],
        "unusable_cards": [{"worker": name, **card.as_dict()} for name, card in _unusable(snapshot, cluster)],
    }


def _unusable(snapshot: Snapshot, cluster: Cluster) -> Iterator[tuple[str, UnusableCard]]:
    """Cards that no request can get whole; all cards of a worker that takes no work, its status being the reason."""
    found = unusable_by_worker(snapshot, snapshot.table, [worker.name for worker in cluster.workers if worker.gpus])
    for worker in cluster.workers:
        if worker.status is not WorkerStatus.READY:
            yield from ((worker.name, UnusableCard(str(gpu.card), worker.status.value)) for gpu in worker.gpus)
        else:
            yield from ((worker.name, card) for card in found.get(worker.name, ()))
