"""Under which name the fields of a request are recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.patches.managed_fields import FieldManager
from bayplan.control.moments import written

if TYPE_CHECKING:
    from bayplan.api.backend import Backend
    from bayplan.api.call import Call


def manager_of(call: Call, backend: Backend) -> FieldManager:
    """The client of a request as an owner of fields."""
    time, has_status = written(backend.clock()), call.resource.collection.has_status
    return FieldManager(call.manager, str(call.api), time, call.path.subresource, status_apart=has_status)
