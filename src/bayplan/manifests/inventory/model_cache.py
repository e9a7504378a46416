"""A Model of the NeuroNetes dialect: on which Nodes it is cached."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.frozen_map import FrozenMap
from bayplan.manifests.inventory.entry import mapping, mappings, name_of, text

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes

_GROUPS = ("neuronetes.io/", "neuronetes.ai/")
_CACHED = "ready"
_ELSE = ("loading", "evicting", "failed")
_LIST = "status.cachedNodes"


@dataclass(frozen=True, slots=True)
class Cached:
    """A model, and the Nodes on which it is completely cached."""

    entry: Entry
    model: str
    workers: tuple[str, ...]


def is_model(data: dict[str, Any]) -> bool:
    """Whether this is the Model of NeuroNetes: other API groups have a kind Model too."""
    version = data.get("apiVersion")
    return version is None or (isinstance(version, str) and version.startswith(_GROUPS))


def read_cached(entry: Entry, notes: Notes) -> Cached:
    """The Nodes on which the status says that the model is ready; loading or evicted copies do not count."""
    status = mapping(entry.data, "status", "status")
    found = []
    for number, each in enumerate(mappings(status, "cachedNodes", _LIST)):
        place = f"{_LIST}[{number}]"
        worker, word = name_of(each, f"{place}.nodeName", "nodeName"), text(each, "status", f"{place}.status")
        if word == _CACHED:
            found.append(worker)
        elif word not in _ELSE:
            known = " | ".join((_CACHED, *_ELSE))
            notes.add(entry, f"{place}.status", f"{word[:48]!r} is not one of {known}; it is ignored", alike="status")
    return Cached(entry, name_of(mapping(entry.data, "metadata", "metadata"), "metadata.name"), tuple(found))


def add_cached(cached: Cached, workers: MutableMapping[str, Worker], notes: Notes) -> None:
    """Add the model to the caches of its workers. The status gives no hit rate; a rate that is known is kept."""
    for name in cached.workers:
        worker = workers.get(name)
        if worker is None:
            message = f"the inventory has no node {name[:64]!r}; its cached models are ignored"
            notes.add(cached.entry, _LIST, message, alike="no such node")
        elif cached.model not in worker.cached_models:
            models = FrozenMap({**worker.cached_models, cached.model: None})
            workers[name] = replace(worker, cached_models=models)
