"""The same object under its different APIs: stored as one, served as the one that the client asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import Api, ResourceType
    from bayplan.control.store import Object

_EVENTS = "events.k8s.io"
_NEW_NAMES = {
    "message": "note",
    "involvedObject": "regarding",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
"""Fields of a v1 Event, and what events.k8s.io calls them."""
_OLD_NAMES = {new: old for old, new in _NEW_NAMES.items()}


def served_as(resource: ResourceType, api: Api, document: Object) -> Object:
    """A stored object as `api` shows it."""
    if api == resource.storage:
        return document
    names = _NEW_NAMES if api.group == _EVENTS else {}
    return {names.get(key, key): value for key, value in document.items()} | {"apiVersion": str(api)}


def stored_as(resource: ResourceType, api: Api, document: Object) -> Object:
    """An object that a client wrote under `api`, as it is stored."""
    if api == resource.storage:
        return document
    names = _OLD_NAMES if api.group == _EVENTS else {}
    return {names.get(key, key): value for key, value in document.items()} | {"apiVersion": str(resource.storage)}
