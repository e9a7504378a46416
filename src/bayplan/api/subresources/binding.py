"""Binding: a Pod gets its node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from starlette.responses import Response

from bayplan.api.bodies import read_body
from bayplan.api.negotiation import JSON
from bayplan.api.status import Cause, Refusal, invalid
from bayplan.control.store import Binding
from bayplan.stores.bindings import bound_pod, pod_of

if TYPE_CHECKING:
    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.control.store import Object


async def bind(call: Call, backend: Backend) -> Response:
    """Bind the Pod of the path, or the one that the body names."""
    body = read_body(call.body, call.content_type)
    metadata, target = body.get("metadata") or {}, body.get("target")
    if not isinstance(metadata, dict) or not isinstance(target, dict):
        raise Refusal(400, "a Binding has metadata and a target; see `kubectl explain bindings`")
    name = call.path.name if call.path.subresource else metadata.get("name")
    worker = target.get("name")
    causes = [
        Cause(place, "is required", "FieldValueRequired")
        for place, value in (("metadata.name", name), ("target.name", worker))
        if not isinstance(value, str) or not value
    ]
    if target.get("kind", "Node") not in ("", "Node"):
        causes.append(Cause("target.kind", 'must be empty or "Node"', "FieldValueNotSupported"))
    annotations = metadata.get("annotations") or {}
    if not isinstance(annotations, dict) or not all(isinstance(each, str) for each in annotations.values()):
        causes.append(Cause("metadata.annotations", "must map text to text", "FieldValueTypeInvalid"))
    if causes or not isinstance(name, str) or not isinstance(worker, str):
        raise invalid("Binding", str(name or ""), "", causes)
    wanted = Binding(call.path.namespace, name, worker, metadata.get("uid"), annotations, _revision(metadata))
    if call.query.dry_run:
        key = pod_of(wanted)
        bound_pod(key, wanted, (await backend.store.get(key)).document(), "")  # raises what a bind would raise
    else:
        await backend.store.bind([wanted])
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
    return Response(orjson.dumps(status), 201, media_type=JSON)


def _revision(metadata: Object) -> str | None:
    revision = metadata.get("resourceVersion")
    return revision if isinstance(revision, str) else None
