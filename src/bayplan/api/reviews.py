"""Questions of a client about itself: may it do this, and who is it (`kubectl auth can-i`, `kubectl auth whoami`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from starlette.responses import Response

from bayplan.api.access.roles import Permission
from bayplan.api.bodies import read_body
from bayplan.api.negotiation import JSON
from bayplan.api.status import Refusal

if TYPE_CHECKING:
    from bayplan.api.access.roles import User
    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.control.resources.resource_type import ResourceType
    from bayplan.control.store import Object


async def review(call: Call, backend: Backend) -> Response:
    """The answer stands in the status of what was asked; nothing is stored."""
    body = read_body(call.body, call.content_type)
    match call.resource.kind:
        case "SelfSubjectAccessReview":
            status = _access(call, backend, body)
        case "SelfSubjectRulesReview":
            status = _rules(call, backend, body)
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
        return _path_access(call, spec.get("nonResourceAttributes"))
    texts = {
        key: str(asked.get(key) or "") for key in ("verb", "resource", "group", "namespace", "subresource", "name")
    }
    found = [each.namespaced for each in backend.registry.kinds if each.plural == texts["resource"]]
    namespaced = not found or found[0]
    wanted = Permission(
        texts["verb"],
        texts["resource"],
        texts["group"],
        texts["namespace"],
        namespaced,
        texts["subresource"],
        texts["name"],
    )
    if "*" in (texts["verb"], texts["resource"]):
        if call.user.rules_all:
            return {"allowed": True}
        return {"allowed": False, "reason": "only an admin of all namespaces may do everything"}
    reason = call.user.refusal(wanted)
    return {"allowed": not reason} | ({"reason": reason} if reason else {})


def _path_access(call: Call, asked: Any) -> dict[str, Any]:
    """Paths that are no objects: each user reads them, as far as they tell nothing of other namespaces."""
    verb = str(asked.get("verb") or "") if isinstance(asked, dict) else ""
    if verb in ("get", "head") or call.user.rules_all:
        return {"allowed": True}
    return {"allowed": False, "reason": "only an admin of all namespaces may change what is no object"}


def _rules(call: Call, backend: Backend, body: Object) -> dict[str, Any]:
    """What the user may do in a namespace, worked out kind by kind from the same rules that requests meet."""
    spec = body.get("spec")
    namespace = str(spec.get("namespace") or "") if isinstance(spec, dict) else ""
    if call.user.rules_all:
        rules = [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
    else:
        rules = [
            {"verbs": verbs, "apiGroups": [each.group], "resources": [each.plural]}
            for each in backend.registry.kinds
            if (verbs := _allowed(call.user, each, namespace))
        ]
    return {
        "resourceRules": rules,
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["*"]}],
        "incomplete": False,
    }


def _allowed(user: User, kind: ResourceType, namespace: str) -> list[str]:
    where = namespace if kind.namespaced else ""
    wanted = (Permission(verb, kind.plural, kind.group, where, kind.namespaced) for verb in kind.verbs)
    return [each.verb for each in wanted if not user.refusal(each)]
