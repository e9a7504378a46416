"""POST and PUT: create and replace objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from bayplan.api.bodies import read_body
from bayplan.api.negotiation import JSON
from bayplan.api.rendering import rendered

if TYPE_CHECKING:
    from bayplan.api.backend import Backend
    from bayplan.api.call import Call


async def create(call: Call, backend: Backend) -> Response:
    """A new object."""
    document = backend.admission.admit(call, read_body(call.body, call.content_type))
    stored = await backend.store.create(call.resource.collection, document, dry_run=call.query.dry_run)
    return Response(rendered(call.resource, call.api, stored, call.form, backend.table), 201, media_type=JSON)


async def replace(call: Call, backend: Backend) -> Response:
    """The whole object, or its status; a resourceVersion in it must be the stored one."""
    document = backend.admission.admit(call, read_body(call.body, call.content_type))
    stored = await backend.store.update(
        call.key, document, subresource=call.path.subresource, dry_run=call.query.dry_run
    )
    return Response(rendered(call.resource, call.api, stored, call.form, backend.table), media_type=JSON)
