"""Objects, lists and tables as bytes; stored JSON is sent as it is wherever that is possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from bayplan.api.negotiation import Form
from bayplan.control.resources.conversion import from_storage
from bayplan.control.resources.tables import table

if TYPE_CHECKING:
    from datetime import datetime

    from bayplan.control.resources.resource_type import Api, ResourceType
    from bayplan.control.store import Object, Page, Stored

_METADATA_API = "meta.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class View:
    """How a client wants to see objects: under which API, in which form; ages in tables are counted to `now`."""

    resource: ResourceType
    api: Api
    form: Form
    now: datetime
    include: str = "Metadata"

    @property
    def as_stored(self) -> bool:
        """Whether objects are sent as they are kept."""
        return self.form is Form.OBJECT and self.api == self.resource.storage

    def text(self, stored: Stored) -> bytes:
        """One object."""
        if self.form is Form.OBJECT:
            return self._object(stored)
        if self.form is Form.METADATA:
            return orjson.dumps(_metadata_of(self._document(stored)))
        return orjson.dumps(self._table([stored], {"resourceVersion": str(stored.revision)}))

    def list_text(self, page: Page) -> bytes:
        """A list."""
        metadata: dict[str, Any] = {"resourceVersion": str(page.revision)}
        if page.next:
            metadata["continue"] = page.next
            if page.remaining is not None:
                metadata["remainingItemCount"] = page.remaining
        if self.form is Form.TABLE:
            return orjson.dumps(self._table(page.items, metadata))
        if self.form is Form.METADATA:
            items = [_metadata_of(self._document(each)) for each in page.items]
            head = {"kind": "PartialObjectMetadataList", "apiVersion": _METADATA_API, "metadata": metadata}
            return orjson.dumps({**head, "items": items})
        head = {"kind": f"{self.resource.kind}List", "apiVersion": str(self.api), "metadata": metadata}
        return b'%b,"items":[%b]}' % (orjson.dumps(head)[:-1], b",".join(map(self._object, page.items)))

    def _object(self, stored: Stored) -> bytes:
        return stored.text if self.api == self.resource.storage else orjson.dumps(self._document(stored))

    def _document(self, stored: Stored) -> Object:
        return from_storage(self.resource, stored.document(), self.api)

    def _table(self, items: tuple[Stored, ...] | list[Stored], metadata: dict[str, Any]) -> dict[str, Any]:
        documents = [each.document() for each in items]
        return table(self.resource, documents, self.now, metadata=metadata, include=self.include)


def _metadata_of(document: Object) -> Object:
    return {"kind": "PartialObjectMetadata", "apiVersion": _METADATA_API, "metadata": document.get("metadata", {})}
