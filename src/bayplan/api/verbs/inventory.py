"""The cluster as the store has it: the documents that the library reads as an inventory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.collections import SERVED_MODELS
from bayplan.control.resources.resource_type import Support
from bayplan.control.serving.scheduling import stored_servers
from bayplan.library.applied_clusters import without_applied
from bayplan.manifests.native.cluster_writer import write_cluster
from bayplan.manifests.reader import Document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.control.resources.registry import Registry
    from bayplan.control.store import Object, Store

_CLUSTER = (
    ("", "nodes"),
    ("", "pods"),
    ("policy", "poddisruptionbudgets"),
    ("scheduling.k8s.io", "priorityclasses"),
    ("topology.node.k8s.io", "noderesourcetopologies"),
    ("bayplan.io", "clusters"),
)
"""Collections that describe the cluster and what runs on it."""


async def cluster_documents(store: Store, registry: Registry) -> list[Object]:
    """Nodes, Pods that have a node, and what else says how the cluster is; workers that are Nodes are told once."""
    wanted = [each.collection for each in registry.kinds if (each.group, each.plural) in _CLUSTER]
    found = [stored.document() for each in wanted for stored in (await store.list(each)).items]
    return without_applied(each for each in found if each["kind"] != "Pod" or each["spec"].get("nodeName"))


async def server_documents(store: Store, objects: Iterable[Object]) -> list[Object]:
    """The Servers that Models among these objects may go to, and what is booked there: those of their namespaces.

    Models and Servers meet inside a namespace, so that servers of two namespaces are never told together.
    """
    models = [each for each in objects if is_served_model(each)]
    if not models:
        return []
    namespace = (models[-1].get("metadata") or {}).get("namespace") or "default"
    return [{**write_cluster(await stored_servers(store, namespace)), "metadata": {"name": f"servers of {namespace}"}}]


def is_served_model(document: Any) -> bool:
    """Whether an object is a Model that servers load."""
    if not isinstance(document, dict) or document.get("kind") != "Model":
        return False
    return str(document.get("apiVersion")).partition("/")[0] == SERVED_MODELS.group


def with_names(objects: Iterable[Object]) -> list[Document]:
    """The objects with places that name them in warnings: `Node w1`, `Pod team/chat`."""
    return [Document(each, f"{each['kind']} {_name(each['metadata'])}") for each in objects]


def _name(metadata: dict[str, Any]) -> str:
    return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else str(metadata["name"])


async def workload_documents(store: Store, registry: Registry, namespace: str) -> list[Object]:
    """Everything of a namespace that asks for a place, or that such objects refer to."""
    wanted = [
        each.collection
        for each in registry.kinds
        if each.namespaced
        and each.stored
        and each.support is Support.ACTED_ON
        and each.plural not in ("events", "leases")
    ]
    return [stored.document() for each in wanted for stored in (await store.list(each, namespace)).items]
