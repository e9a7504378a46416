"""`bayplan.gpus`: free cards as sets that can be used."""

from __future__ import annotations

from typing import Any

from bayplan.cluster.snapshot import Snapshot
from bayplan.library.documents import documents_of
from bayplan.manifests.inventory.reading import read_inventory
from bayplan.placement.free_sets import free_sets
from bayplan.placement.free_sets_document import free_sets_document


def gpus(cluster: Any) -> dict[str, Any]:
    """A Gpus document of a cluster of any dialect."""
    inventory = read_inventory(documents_of(cluster, "cluster"))
    document = free_sets_document(free_sets(Snapshot.of(inventory.cluster)))
    return {**document, "warnings": list(inventory.warnings)}
