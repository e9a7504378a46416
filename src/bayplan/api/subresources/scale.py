"""The scale of an object: how many replicas it wants and has, under the same names for every kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from starlette.responses import Response

from bayplan.api.bodies import read_body, read_value
from bayplan.api.managers import manager_of
from bayplan.api.negotiation import JSON
from bayplan.api.patches.json_patch import json_patch
from bayplan.api.patches.managed_fields import record_update
from bayplan.api.patches.merge_patch import merge_patch
from bayplan.api.paths import Verb
from bayplan.api.status import Cause, invalid
from bayplan.control.resources.conversion import from_storage
from bayplan.control.resources.scaling import scale_of, with_scale

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.control.store import Object


async def scale(call: Call, backend: Backend) -> Response:
    """Read or write the number of replicas."""
    if call.verb is Verb.GET:
        return _answer(call, (await backend.store.get(call.key)).document())
    edit, manager = _edit(call), manager_of(call, backend)

    def change(live: Object) -> Object:
        edited = edit(scale_of(call.resource, live))
        new = with_scale(call.resource, live, _wanted(call, edited))
        if expected := (edited.get("metadata") or {}).get("resourceVersion"):
            new["metadata"] = {**new["metadata"], "resourceVersion": expected}  # the store compares it
        admitted = backend.admission.admit(call, from_storage(call.resource, new, call.api))
        record_update(live, admitted, manager, call.rules)
        return admitted

    stored = await backend.store.patch(call.key, change, dry_run=call.query.dry_run)
    return _answer(call, stored.document())


def _edit(call: Call) -> Callable[[Object], Object]:
    if call.verb is Verb.UPDATE:
        whole = read_body(call.body, call.content_type)
        return lambda _: whole
    if call.content_type == "application/json-patch+json":
        operations = read_value(call.body, call.content_type)
        return lambda document: json_patch(document, operations)
    part = read_body(call.body, call.content_type)
    return lambda document: merge_patch(document, part)


def _wanted(call: Call, scaled: Object) -> int:
    spec = scaled.get("spec")
    replicas = spec.get("replicas", 0) if isinstance(spec, dict) else None
    if not isinstance(replicas, int) or isinstance(replicas, bool) or replicas < 0:
        cause = Cause("spec.replicas", "must be a whole number from 0 on")
        raise invalid("Scale", call.path.name, "autoscaling", [cause])
    return replicas


def _answer(call: Call, document: Object) -> Response:
    return Response(orjson.dumps(scale_of(call.resource, document)), media_type=JSON)
