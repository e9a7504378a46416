"""Objects, lists and tables as bytes; stored JSON is sent as it is wherever that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import orjson

from bayplan.api.conversion import served_as
from bayplan.api.negotiation import Form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.control.resources.resource_type import Api, ResourceType
    from bayplan.control.store import Object, Page, Stored


class Tabled(Protocol):
    """Makes a Table of documents, for people."""

    def __call__(self, resource: ResourceType, documents: Sequence[Object]) -> dict[str, Any]: ...


def served(resource: ResourceType, api: Api, stored: Stored) -> bytes:
    """One object under the group and version that the client asked for."""
    if api == resource.storage:
        return stored.text
    return orjson.dumps(served_as(resource, api, stored.document()))


def rendered(resource: ResourceType, api: Api, stored: Stored, form: Form, table: Tabled) -> bytes:
    """One object in the form that the client accepts."""
    if form is Form.OBJECT:
        return served(resource, api, stored)
    document = served_as(resource, api, stored.document())
    if form is Form.METADATA:
        return orjson.dumps(metadata_of(document, "PartialObjectMetadata"))
    return orjson.dumps(table(resource, [document]) | {"metadata": {"resourceVersion": str(stored.revision)}})


def rendered_list(resource: ResourceType, api: Api, page: Page, form: Form, table: Tabled) -> bytes:
    """A list in the form that the client accepts."""
    metadata: dict[str, Any] = {"resourceVersion": str(page.revision)}
    if page.next:
        metadata["continue"] = page.next
        if page.remaining is not None:
            metadata["remainingItemCount"] = page.remaining
    if form is Form.OBJECT:
        head = orjson.dumps({"kind": f"{resource.kind}List", "apiVersion": str(api), "metadata": metadata})
        items = b",".join(served(resource, api, each) for each in page.items)
        return b'%b,"items":[%b]}' % (head[:-1], items)
    documents = [served_as(resource, api, each.document()) for each in page.items]
    if form is Form.TABLE:
        return orjson.dumps(table(resource, documents) | {"metadata": metadata})
    items_of = [metadata_of(each, "PartialObjectMetadata") for each in documents]
    kind = "PartialObjectMetadataList"
    return orjson.dumps({"kind": kind, "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "items": items_of})


def metadata_of(document: Object, kind: str) -> Object:
    """The metadata of an object alone."""
    return {"kind": kind, "apiVersion": "meta.k8s.io/v1", "metadata": document.get("metadata", {})}
