"""`bayplan.read_cluster`: inventories of any dialect in, the native Cluster out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.manifests.inventory.inventory import read_inventory
from bayplan.manifests.native.cluster_writer import write_cluster
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.manifests.inventory.inventory import Inventory


def read_cluster(documents: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The cluster of these documents as a native Cluster document, sizes as numbers, with a list of `warnings`.

    One document or several: Kubernetes Nodes, Pods and NodeResourceTopology objects, lists of them, workers and model
    instances of GPUStack, native Clusters, in any mixture. `plan` takes the answer as it is.
    """
    given = [documents] if isinstance(documents, dict) else documents
    if not isinstance(given, list | tuple):
        return as_document(read_inventory([Document(given, "documents")]))
    return as_document(read_inventory(Document(each, f"documents[{number}]") for number, each in enumerate(given)))


def as_document(inventory: Inventory) -> dict[str, Any]:
    """The native Cluster, with what was ignored or assumed as `warnings`."""
    return {**write_cluster(inventory.cluster), "warnings": list(inventory.warnings)}
