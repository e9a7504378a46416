"""PATCH: four kinds of patches, by the type of the body; an object that is applied and does not exist is created."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.bodies import read_body, read_value
from bayplan.api.json_response import JsonResponse
from bayplan.api.kind_rules.rules import check_change, complete_object, tell_support
from bayplan.api.managers import manager_of
from bayplan.api.patches.apply import apply
from bayplan.api.patches.configuration_check import metadata_of
from bayplan.api.patches.managed_fields import record_update
from bayplan.api.patches.patch_types import PatchType, check_options, patch_type, patched
from bayplan.api.status import Refusal
from bayplan.control.resources.conversion import from_storage
from bayplan.control.store_errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.api.patches.managed_fields import FieldManager
    from bayplan.control.store import Object, Stored

    Change = Callable[[Object], Object]


async def patch(call: Call, backend: Backend) -> Response:
    """Change a part of an object."""
    kind = patch_type(call.content_type, custom=not call.resource.is_kubernetes)
    check_options(kind, call.query.text("fieldManager"), force=call.query.flag("force"))
    if kind is PatchType.APPLY:
        stored, created = await _applied(call, backend)
    else:
        stored, created = await _patched(call, backend, kind), False
    return JsonResponse(call.text(stored, backend.clock), 201 if created else 200)


async def _patched(call: Call, backend: Backend, kind: PatchType) -> Stored:
    part, rules, manager = read_value(call.body, call.content_type), call.rules, manager_of(call, backend)

    def change(live: Object) -> Object:
        before = from_storage(call.resource, live, call.api)
        after = check_change(call, live, backend.admission.admit(call, patched(kind, before, part, rules)))
        record_update(live, after, manager, rules)
        return after

    return await _written(call, backend, change)


async def _applied(call: Call, backend: Backend) -> tuple[Stored, bool]:
    config = read_body(call.body, call.content_type)
    manager, force = manager_of(call, backend), call.query.flag("force")

    def change(live: Object) -> Object:
        before = from_storage(call.resource, live, call.api)
        after = backend.admission.admit(call, apply(before, config, manager, call.rules, force=force))
        return check_change(call, live, after)

    try:
        return await _written(call, backend, change), False
    except NotFoundError:
        if call.path.subresource:
            raise
    return await _created(call, backend, config, manager), True


async def _created(call: Call, backend: Backend, config: Object, manager: FieldManager) -> Stored:
    if "uid" in metadata_of(config):
        raise Refusal(409, "uid mismatch: the object was deleted; leave metadata.uid out to create it anew")
    document = backend.admission.admit(call, apply(None, config, manager, call.rules, force=False))
    document = await complete_object(call, backend, document)
    return await backend.store.create(call.resource.collection, document, dry_run=call.query.dry_run)


async def _written(call: Call, backend: Backend, change: Change) -> Stored:
    part, dry_run = call.path.subresource, call.query.dry_run
    stored = await backend.store.patch(call.key, change, subresource=part, dry_run=dry_run)
    return await tell_support(call, backend, stored)
