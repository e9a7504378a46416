"""Documents between the API that a client speaks and the one in which objects are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import Api, ResourceType

Document = dict[str, Any]

_EVENT_FIELDS = {
    "involvedObject": "regarding",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
}
"""Fields of a core Event, and of the same Event in events.k8s.io; the others have the same names."""

_NEW_EVENT_FIELDS = {new: old for old, new in _EVENT_FIELDS.items()}


def to_storage(resource: ResourceType, document: Document) -> Document:
    """A document of any of the kind's APIs as it is stored."""
    if resource.kind == "Event" and document.get("apiVersion") == "events.k8s.io/v1":
        document = _renamed(document, _NEW_EVENT_FIELDS)
    return _with_api(document, resource.storage, resource.kind)


def from_storage(resource: ResourceType, document: Document, api: Api) -> Document:
    """A stored document as a client of `api` sees it."""
    if resource.kind == "Event" and api.group == "events.k8s.io":
        document = _renamed(document, _EVENT_FIELDS)
    return _with_api(document, api, resource.kind)


def _with_api(document: Document, api: Api, kind: str) -> Document:
    return {**document, "apiVersion": str(api), "kind": kind}


def _renamed(document: Document, names: dict[str, str]) -> Document:
    return {names.get(key, key): value for key, value in document.items()}
