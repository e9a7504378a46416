"""Which models there are, and which server replicas hold them: from Models and ServerReplicas of the store."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, Protocol

from bayplan.control.collections import SERVED_MODELS, SERVER_REPLICAS
from bayplan.library.status.documents import part
from bayplan.signals.discovery.model_place import DeclaredModel, ModelPlace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bayplan.control.cache import Cache, Seen
    from bayplan.control.store import Object

_READY: Final = "ModelReady"
_LOADED: Final = "loaded"

_log = logging.getLogger("bayplan.signals")


class ModelDirectoryPort(Protocol):
    """What is told of models."""

    def put_replica(self, replica: str, places: Sequence[ModelPlace]) -> None:
        """All that a server replica holds from now on; nothing: it is gone."""

    def put_model(self, name: str, model: DeclaredModel | None) -> None:
        """A Model is there or has changed; None: it is gone."""


class ServedModelDiscovery:
    """Follows the Models and ServerReplicas of one namespace. To be made before the cache is started."""

    collections = (SERVER_REPLICAS, SERVED_MODELS)

    def __init__(self, cache: Cache, directory: ModelDirectoryPort, *, namespace: str = "default") -> None:
        self._directory = directory
        self._namespace = namespace
        cache.listen(SERVER_REPLICAS, self._replica_changed)
        cache.listen(SERVED_MODELS, self._model_changed)

    def _replica_changed(self, seen: Seen) -> None:
        if seen.key.namespace == self._namespace:
            places = () if seen.new is None else replica_places(seen.new)
            self._directory.put_replica(seen.key.name, places)

    def _model_changed(self, seen: Seen) -> None:
        if seen.key.namespace == self._namespace:
            name = seen.key.name
            self._directory.put_model(name, None if seen.new is None else declared_model(seen.new))


def replica_places(replica: Object) -> list[ModelPlace]:
    """One place for each booking of a server replica; a booking that cannot be read is told, and left out."""
    spec, status = part(replica, "spec"), part(replica, "status")
    done = {each.get("name"): each for each in _listed(status.get("models"))}
    found = []
    for booking in _listed(spec.get("models")):
        try:
            found.append(_place(replica["metadata"]["name"], spec, status, booking, done.get(booking.get("name"), {})))
        except (KeyError, TypeError, ValueError) as problem:
            _log.warning("ServerReplica %s: a booking cannot be read: %s", replica["metadata"]["name"], problem)
    return found


def _place(
    replica: str,
    spec: Mapping[str, Any],
    status: Mapping[str, Any],
    booking: Mapping[str, Any],
    done: Mapping[str, Any],
) -> ModelPlace:
    is_connected = status.get("connected") is True
    return ModelPlace(
        model=str(booking["model"]),
        version=int(booking["version"]),
        name=str(booking["name"]),
        server=str(spec["server"]),
        index=int(spec["index"]),
        replica=replica,
        state=str(booking["state"]),
        rest=_text(status.get("rest")) if is_connected else None,
        grpc=_text(status.get("grpc")) if is_connected else None,
        agent=_text(status.get("agent")),
        is_loaded=is_connected and done.get("state") == _LOADED,
        is_resident=done.get("resident") is not False,
        may_evict=bool(spec.get("overcommitPercent")),
        message=str(done.get("message") or ""),
    )


def declared_model(model: Object) -> DeclaredModel:
    """What the status of a Model says."""
    metadata = model["metadata"]
    conditions = _listed(part(model, "status").get("conditions"))
    ready = next((each for each in conditions if each.get("type") == _READY), {})
    return DeclaredModel(
        metadata["name"],
        str(ready.get("message") or ""),
        str(ready.get("reason") or ""),
        is_deleted="deletionTimestamp" in metadata,
    )


def _listed(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
