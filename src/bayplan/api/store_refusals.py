"""Refusals of the store in the words of Kubernetes, which clients look for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.status import Refusal, refusal_of
from bayplan.control.store_errors import (
    AlreadyExistsError,
    ForbiddenError,
    NamespaceNotFoundError,
    NotFoundError,
    StaleError,
)

if TYPE_CHECKING:
    from bayplan.api.call import Call
    from bayplan.control.store_errors import StoreError


def store_refusal(call: Call, error: StoreError) -> Refusal:
    """The answer to an error of the store: it names the object as the client does."""
    named = f"{call.resource.plural}.{call.api.group}" if call.api.group else call.resource.plural
    name = call.path.name or call.created
    shown = f'{named} "{name}"'
    message = ""
    match error:
        case NamespaceNotFoundError():
            namespace = call.path.namespace
            details = {"name": namespace, "kind": "namespaces"}
            return Refusal(404, f'namespaces "{namespace}" not found', details=details)
        case NotFoundError():
            message = f"{shown} not found"
        case AlreadyExistsError():
            message = f"{shown} already exists"
        case StaleError():
            message = f"Operation cannot be fulfilled on {shown}: {error.message}"
        case ForbiddenError():
            message = f"{shown} is forbidden: {error.message}"
        case _:
            return refusal_of(error)
    refusal = refusal_of(error)
    refusal.message = message
    refusal.details = {"name": name, "group": call.api.group, "kind": call.resource.plural}
    return refusal
