"""Under which name the fields of a request are recorded."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bayplan.api.patches.managed_fields import FieldManager

if TYPE_CHECKING:
    from bayplan.api.backend import Backend
    from bayplan.api.call import Call


def manager_of(call: Call, backend: Backend) -> FieldManager:
    """The client of a request as an owner of fields."""
    time = datetime.fromtimestamp(backend.clock(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    has_status = call.resource.collection.has_status
    return FieldManager(call.manager, str(call.api), time, call.path.subresource, status_apart=has_status)
