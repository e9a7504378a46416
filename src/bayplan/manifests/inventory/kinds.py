"""The objects of an inventory: lists are opened, and each object is identified by its kind or by its fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.cluster.quantities import shown
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.entry import Entry
from bayplan.manifests.inventory.gpustack_instance import looks_like_instance
from bayplan.manifests.inventory.gpustack_worker import looks_like_worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bayplan.manifests.paths import Step
    from bayplan.manifests.reader import Document

NODE = "Node"
POD = "Pod"
DISRUPTION_BUDGET = "PodDisruptionBudget"
TOPOLOGY = "NodeResourceTopology"
MODEL = "Model"
PRIORITY_CLASS = "PriorityClass"
CLUSTER = "Cluster"
GPUSTACK_WORKER = "GPUStack worker"
GPUSTACK_INSTANCE = "GPUStack model instance"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The kinds that describe a cluster in one dialect, and the kinds of other dialects.

    Kinds in neither set are accepted: a Kubernetes cluster has objects of any kind.
    """

    kinds: frozenset[str]
    others: frozenset[str]

    def takes(self, kind: str) -> bool:
        return kind not in self.others


_OF_KUBERNETES = frozenset({NODE, POD, DISRUPTION_BUDGET, TOPOLOGY, MODEL})
_OF_GPUSTACK = frozenset({GPUSTACK_WORKER, GPUSTACK_INSTANCE})
KUBERNETES = Dialect(_OF_KUBERNETES, _OF_GPUSTACK | {CLUSTER})
GPUSTACK = Dialect(_OF_GPUSTACK, _OF_KUBERNETES | {CLUSTER})

_MOST_NESTED = 4  # kubectl nests one level; a few more allow for lists of lists, and hostile nesting ends here
_KINDS = "Node, Pod, PodDisruptionBudget, NodeResourceTopology, Model, Cluster, or a worker or instance of GPUStack"


def entries_of(documents: Iterable[Document]) -> Iterator[Entry]:
    """Every object of every document, in order."""
    for document in documents:
        yield from _objects(document.data, "", document, ())


def _objects(data: Any, kind: str, document: Document, steps: tuple[Step, ...]) -> Iterator[Entry]:
    """One object, or the objects of a list; objects of a typed list need not repeat their kind."""
    if isinstance(data, list | tuple):
        yield from _members(data, kind, document, steps)
    elif not isinstance(data, dict):
        raise InputError(f"{shown(data)} is no object", place=document.place(steps), next=f"hand in {_KINDS}")
    elif isinstance(data.get("items"), list):
        named = data.get("kind")
        inner = named.removesuffix("List") if isinstance(named, str) else ""
        yield from _members(data["items"], inner, document, (*steps, "items"))
    else:
        yield _entry(data, kind, document, steps)


def _entry(data: dict[str, Any], kind: str, document: Document, steps: tuple[Step, ...]) -> Entry:
    found = _kind(data) or kind
    if not found:
        message = "it has no kind and does not look like an object that is read"
        raise InputError(message, place=document.place(steps), next=f"hand in {_KINDS}")
    return Entry(data, found, document, steps)


def _members(items: Iterable[Any], kind: str, document: Document, steps: tuple[Step, ...]) -> Iterator[Entry]:
    if len(steps) > 2 * _MOST_NESTED:
        raise InputError("lists are nested too deep", place=document.place(steps), next="hand in one list of objects")
    for number, item in enumerate(items):
        if type(item) is dict and "items" not in item:
            yield _entry(item, kind, document, (*steps, number))
        else:
            yield from _objects(item, kind, document, (*steps, number))


def _kind(data: dict[str, Any]) -> str:
    kind = data.get("kind")
    if isinstance(kind, str) and kind:
        return kind
    if "workers" in data or "servers" in data:
        return CLUSTER
    if looks_like_instance(data):
        return GPUSTACK_INSTANCE
    if looks_like_worker(data):
        return GPUSTACK_WORKER
    return ""
