"""The parts of a Kubernetes Node that this package reads, taken apart once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bayplan.manifests.inventory.entry import mapping, name_of, texts
from bayplan.manifests.paths import spell

if TYPE_CHECKING:
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes


@dataclass(frozen=True, slots=True)
class NodeText:
    """What a Node says; `offered` is what Kubernetes may give away, under the path `offered_place`."""

    entry: Entry
    notes: Notes
    name: str
    labels: dict[str, str]
    annotations: dict[str, str]
    spec: dict[str, Any]
    status: dict[str, Any]
    offered: dict[str, Any]
    offered_place: str

    def written(self, key: str) -> tuple[str, str] | None:
        """The value that a person wrote under a key, as an annotation or as a label, and its path."""
        value = self.annotations.get(key)
        if value:
            return value, annotation(key)
        value = self.labels.get(key)
        return (value, label(key)) if value else None


def node_text(entry: Entry, notes: Notes) -> NodeText:
    """Refuses what no API server would have sent: these are fields that it checks."""
    data = entry.data
    metadata = mapping(data, "metadata", "metadata")
    status = mapping(data, "status", "status")
    offered, offered_place = mapping(status, "allocatable", "status.allocatable"), "status.allocatable"
    if not offered:
        offered, offered_place = mapping(status, "capacity", "status.capacity"), "status.capacity"
    return NodeText(
        entry,
        notes,
        name_of(metadata, "metadata.name"),
        texts(metadata, "labels", "metadata.labels"),
        texts(metadata, "annotations", "metadata.annotations"),
        mapping(data, "spec", "spec"),
        status,
        offered,
        offered_place,
    )


@lru_cache(maxsize=1024)
def label(key: str) -> str:
    """The path of a label."""
    return spell(("metadata", "labels", key))


@lru_cache(maxsize=1024)
def annotation(key: str) -> str:
    """The path of an annotation."""
    return spell(("metadata", "annotations", key))


@lru_cache(maxsize=1024)
def resource(place: str, key: str) -> str:
    """The path of a resource: `status.allocatable["nvidia.com/gpu"]`."""
    return spell((*place.split("."), key))
