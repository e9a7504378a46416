"""POST and PUT: create and replace objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from bayplan.api.bodies import read_body
from bayplan.api.kind_rules.rules import check_change, complete_object, tell_support
from bayplan.api.managers import manager_of
from bayplan.api.negotiation import JSON
from bayplan.api.patches.managed_fields import record_create, record_update

if TYPE_CHECKING:
    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.control.store import Object


async def create(call: Call, backend: Backend) -> Response:
    """A new object."""
    document = backend.admission.admit(call, read_body(call.body, call.content_type))
    call.created = document["metadata"].get("name") or document["metadata"].get("generateName") or ""
    record_create(document, manager_of(call, backend), call.rules)
    document = await complete_object(call, backend, document)
    stored = await backend.store.create(call.resource.collection, document, dry_run=call.query.dry_run)
    return Response(call.view(backend.clock).text(stored), 201, media_type=JSON)


async def replace(call: Call, backend: Backend) -> Response:
    """The whole object, or its status; a resourceVersion in it must be the stored one."""
    document = backend.admission.admit(call, read_body(call.body, call.content_type))
    manager, rules = manager_of(call, backend), call.rules

    def change(live: Object) -> Object:
        parts = {key: dict(each) if isinstance(each, dict) else each for key, each in document.items()}
        new = check_change(call, live, parts)  # on a copy: a lost race calls this again
        record_update(live, new, manager, rules)
        return new

    stored = await backend.store.patch(call.key, change, subresource=call.path.subresource, dry_run=call.query.dry_run)
    stored = await tell_support(call, backend, stored)
    return Response(call.view(backend.clock).text(stored), media_type=JSON)
