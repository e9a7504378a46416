"""Refusals about Secrets without their values: errors are printed, logged and pasted into tickets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.status import Cause, Refusal

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import ResourceType

_REPEATING = frozenset({400, 413, 422, 500})
"""Codes whose messages may repeat a part of the body; the others name objects alone."""
_HARMLESS = ("metadata.name", "metadata.generateName", "metadata.namespace", "metadata.labels", "metadata.finalizers")
_HIDDEN = "is not valid; what was sent is not repeated, because it belongs to a Secret"


def is_secret(resource: ResourceType) -> bool:
    """Whether the objects of this kind are Secrets."""
    return resource.plural == "secrets" and not resource.group


def withheld(refusal: Refusal) -> Refusal:
    """The refusal with the names of fields, but without what was sent."""
    if refusal.code not in _REPEATING:
        return refusal
    causes = [each if each.field.startswith(_HARMLESS) else _hidden(each) for each in refusal.causes]
    named = [f"{each.field}: {each.message}" for each in causes] or [_HIDDEN]
    message = f"Secret: {', '.join(named)}"
    return Refusal(refusal.code, message, refusal.reason, causes, refusal.details, refusal.headers)


def _hidden(cause: Cause) -> Cause:
    return Cause(cause.field, _HIDDEN, cause.reason)
