"""PATCH: four kinds of patches, by the type of the body; an object that is applied and does not exist is created."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from bayplan.api.bodies import read_body, read_value
from bayplan.api.managers import manager_of
from bayplan.api.negotiation import JSON
from bayplan.api.patches.apply import apply
from bayplan.api.patches.json_patch import json_patch
from bayplan.api.patches.managed_fields import record_update
from bayplan.api.patches.merge_patch import merge_patch
from bayplan.api.patches.strategic_merge import strategic_merge
from bayplan.api.status import Refusal
from bayplan.control.resources.conversion import from_storage
from bayplan.control.store_errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.api.patches.managed_fields import FieldManager
    from bayplan.control.store import Object, Stored

    Change = Callable[[Object], Object]

APPLY = "application/apply-patch+yaml"
JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


async def patch(call: Call, backend: Backend) -> Response:
    """Change a part of an object."""
    if call.content_type == APPLY:
        stored, created = await _applied(call, backend)
    else:
        stored, created = await _patched(call, backend), False
    text = call.view(backend.clock).text(stored)
    return Response(text, 201 if created else 200, media_type=JSON)


async def _patched(call: Call, backend: Backend) -> Stored:
    edit = _edit(call, backend)
    manager = manager_of(call, backend)

    def change(live: Object) -> Object:
        before = from_storage(call.resource, live, call.api)
        after = backend.admission.admit(call, edit(before))
        record_update(live, after, manager, backend.rules(call.resource))
        return after

    return await _written(call, backend, change)


def _edit(call: Call, backend: Backend) -> Change:
    """What the body does to an object."""
    match call.content_type:
        case "application/json-patch+json":
            operations = read_value(call.body, call.content_type)
            return lambda document: json_patch(document, operations)
        case "application/merge-patch+json":
            part = read_body(call.body, call.content_type)
            return lambda document: merge_patch(document, part)
        case "application/strategic-merge-patch+json" if call.resource.is_kubernetes:
            part = read_body(call.body, call.content_type)
            rules = backend.rules(call.resource)
            return lambda document: strategic_merge(document, part, rules)
    known = [JSON_PATCH, MERGE, *([STRATEGIC] if call.resource.is_kubernetes else []), APPLY]
    message = "the body of the request was in an unknown format - accepted media types include: " + ", ".join(known)
    raise Refusal(415, message)


async def _applied(call: Call, backend: Backend) -> tuple[Stored, bool]:
    if not call.query.text("fieldManager"):
        raise Refusal(
            422, 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: is required for apply patch', "Invalid"
        )
    config = read_body(call.body, call.content_type)
    manager, force = manager_of(call, backend), call.query.flag("force")
    rules = backend.rules(call.resource)

    def change(live: Object) -> Object:
        before = from_storage(call.resource, live, call.api)
        return backend.admission.admit(call, apply(before, config, manager, rules, force=force))

    try:
        return await _written(call, backend, change), False
    except NotFoundError:
        if call.path.subresource:
            raise
    return await _created(call, backend, config, manager), True


async def _created(call: Call, backend: Backend, config: Object, manager: FieldManager) -> Stored:
    if "uid" in config.get("metadata", {}):
        raise Refusal(409, "uid mismatch: the object was deleted; leave metadata.uid out to create it anew")
    new = apply(None, config, manager, backend.rules(call.resource), force=False)
    document = backend.admission.admit(call, new)
    return await backend.store.create(call.resource.collection, document, dry_run=call.query.dry_run)


async def _written(call: Call, backend: Backend, change: Change) -> Stored:
    return await backend.store.patch(call.key, change, subresource=call.path.subresource, dry_run=call.query.dry_run)
