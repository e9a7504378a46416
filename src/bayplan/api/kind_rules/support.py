"""What nothing acts on is said in the status: a condition `Unsupported` with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.kind_rules.fields import objects, part
from bayplan.api.patches.managed_fields import IGNORED
from bayplan.control.resources.resource_type import Support

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import ResourceType
    from bayplan.control.store import Object

CONDITION = "Unsupported"
_CONDITION, _IGNORED = f'"{CONDITION}"'.encode(), f'"{IGNORED}"'.encode()
_TOLD = frozenset({"Deployment", "StatefulSet", "ReplicaSet", "Job"})
"""Kinds of Kubernetes of which only a part is done; their status says which part is not."""


def warning(resource: ResourceType) -> str:
    """What a client is told that writes an object which nothing acts on; empty for other kinds."""
    if resource.support is not Support.UNSUPPORTED:
        return ""
    return f"{resource.kind} is kept, but nothing acts on it: {resource.reason}"


def may_need_support(resource: ResourceType, text: bytes) -> bool:
    """False where `with_support` surely leaves the object of that text as it is."""
    if resource.support is Support.UNSUPPORTED or _CONDITION in text:
        return True
    return resource.is_kubernetes and resource.kind in _TOLD and _IGNORED in text


def with_support(resource: ResourceType, document: Object, now: str) -> Object:
    """The object with the condition, or without it where everything is acted on; the same object where that is so."""
    wanted = _condition(resource, document)
    conditions = objects(part(document, "status"), "conditions")
    present = next((each for each in conditions if each.get("type") == CONDITION), None)
    if _same(present, wanted):
        return document
    others = [each for each in conditions if each.get("type") != CONDITION]
    new = [*others, {**wanted, "lastTransitionTime": now}] if wanted else others
    return {**document, "status": {**part(document, "status"), "conditions": new}}


def _same(present: Object | None, wanted: Object | None) -> bool:
    if present is None or wanted is None:
        return present is wanted
    return all(present.get(key) == value for key, value in wanted.items())


def _condition(resource: ResourceType, document: Object) -> Object | None:
    if resource.support is Support.UNSUPPORTED:
        return {"type": CONDITION, "status": "True", "reason": "NotActedOn", "message": resource.reason}
    ignored = part(document, "metadata", "annotations").get(IGNORED)
    if resource.is_kubernetes and resource.kind in _TOLD and ignored:
        return {"type": CONDITION, "status": "True", "reason": "FieldsIgnored", "message": f"nothing acts on {ignored}"}
    return None
