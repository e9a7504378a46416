"""Questions of a client about itself: may it do this, and who is it (`kubectl auth can-i`, `kubectl auth whoami`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from starlette.responses import Response

from bayplan.api.access.roles import Permission, Role
from bayplan.api.bodies import read_body
from bayplan.api.negotiation import JSON
from bayplan.api.status import Refusal

if TYPE_CHECKING:
    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.control.store import Object

_READS = ["get", "list", "watch"]


async def review(call: Call, backend: Backend) -> Response:
    """The answer stands in the status of what was asked; nothing is stored."""
    body = read_body(call.body, call.content_type)
    match call.resource.kind:
        case "SelfSubjectAccessReview":
            status = _access(call, backend, body)
        case "SelfSubjectRulesReview":
            status = _rules(call)
        case "SelfSubjectReview":
            status = {"userInfo": {"username": call.user.name, "groups": [f"bayplan:{call.user.role}"]}}
        case kind:
            raise Refusal(404, f"reviews of kind {kind} are not answered")
    answer = {"kind": call.resource.kind, "apiVersion": str(call.api), "metadata": {}} | {
        key: value for key, value in body.items() if key == "spec"
    }
    return Response(orjson.dumps(answer | {"status": status}), 201, media_type=JSON)


def _access(call: Call, backend: Backend, body: Object) -> dict[str, Any]:
    spec = body.get("spec")
    if not isinstance(spec, dict):
        raise Refusal(422, "spec: is required", "Invalid")
    asked = spec.get("resourceAttributes")
    if not isinstance(asked, dict):
        return {"allowed": True}  # paths that are no objects may be read by each user
    texts = {
        key: str(asked.get(key) or "") for key in ("verb", "resource", "group", "namespace", "subresource", "name")
    }
    found = [each for each in backend.registry.kinds if each.plural == texts["resource"]]
    namespaced = found[0].namespaced if found else True
    wanted = Permission(
        texts["verb"],
        texts["resource"],
        texts["group"],
        texts["namespace"],
        namespaced,
        texts["subresource"],
        texts["name"],
    )
    if texts["verb"] == "*" or texts["resource"] == "*":
        allowed = call.user.role is Role.ADMIN and call.user.everywhere
        return {"allowed": allowed} | (
            {} if allowed else {"reason": "only an admin of all namespaces may do everything"}
        )
    reason = call.user.refusal(wanted)
    return {"allowed": not reason} | ({"reason": reason} if reason else {})


def _rules(call: Call) -> dict[str, Any]:
    verbs = {Role.ADMIN: ["*"], Role.EDITOR: ["*"], Role.VIEWER: _READS}[call.user.role]
    rules = [{"verbs": verbs, "apiGroups": ["*"], "resources": ["*"]}]
    return {
        "resourceRules": rules,
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["*"]}],
        "incomplete": False,
    }
