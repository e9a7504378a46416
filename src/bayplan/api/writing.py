"""POST and PUT: create and replace objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.bodies import read_body
from bayplan.api.json_response import JsonResponse
from bayplan.api.kind_rules.rules import check_change, complete_object, tell_support
from bayplan.api.managers import manager_of
from bayplan.api.patches.managed_fields import record_create, record_update

if TYPE_CHECKING:
    from starlette.responses import Response

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.control.store import Object


async def create(call: Call, backend: Backend) -> Response:
    """A new object."""
    document = backend.admission.admit(call, read_body(call.body, call.content_type))
    call.created = document["metadata"].get("name") or document["metadata"].get("generateName") or ""
    known = call.passed.fields if call.passed else {}
    record_create(document, manager_of(call, backend), call.rules, known)
    document = await complete_object(call, backend, document)
    stored = await backend.store.create(call.resource.collection, document, dry_run=call.query.dry_run)
    return JsonResponse(call.text(stored, backend.clock), 201)


async def replace(call: Call, backend: Backend) -> Response:
    """The whole object, or its status; a resourceVersion in it must be the stored one."""
    document = backend.admission.admit(call, read_body(call.body, call.content_type))
    manager, rules = manager_of(call, backend), call.rules

    def change(live: Object) -> Object:
        parts = {key: dict(each) if isinstance(each, dict) else each for key, each in document.items()}
        new = check_change(call, live, parts)  # on a copy: a lost race calls this again
        record_update(live, new, manager, rules)
        return new

    part, dry_run = call.path.subresource, call.query.dry_run
    stored = await backend.store.patch(call.key, change, subresource=part, dry_run=dry_run, intact=True)
    stored = await tell_support(call, backend, stored)
    return JsonResponse(call.text(stored, backend.clock))
