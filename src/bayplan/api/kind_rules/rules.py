"""The rules of each kind, where objects are created and changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.kind_rules import fixed_values
from bayplan.api.kind_rules.definitions import definition_problems, definition_warning, established
from bayplan.api.kind_rules.pods import keep_resolved, pod_changes, with_priority
from bayplan.api.kind_rules.support import may_need_support, warning, with_support
from bayplan.api.kind_rules.templates import job_changes, selector_changes, set_changes, template_problems
from bayplan.api.status import invalid
from bayplan.control.moments import written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bayplan.api.backend import Backend
    from bayplan.api.call import Call
    from bayplan.api.status import Cause
    from bayplan.control.store import Object, Stored

    Problems = Callable[[Object], Iterable[Cause]]
    Changes = Callable[[Object, Object], Iterable[Cause]]

_DEFINITION = "CustomResourceDefinition"
_PROBLEMS: dict[str, Problems] = {
    "Deployment": template_problems,
    "ReplicaSet": template_problems,
    "StatefulSet": template_problems,
    _DEFINITION: definition_problems,
}
_CHANGES: dict[str, Changes] = {
    "Pod": pod_changes,
    "Deployment": selector_changes,
    "ReplicaSet": selector_changes,
    "StatefulSet": set_changes,
    "Job": job_changes,
    "ConfigMap": fixed_values.setting_changes,
    "Secret": fixed_values.secret_changes,
    "PriorityClass": fixed_values.class_changes,
}


async def complete_object(call: Call, backend: Backend, document: Object) -> Object:
    """The object as it is created, with what a server adds; Refusal where a rule of its kind is broken."""
    _check(call, document, _problems(call, document))
    _warn(call, document)
    now = written(backend.clock())
    if _is(call, "Pod"):
        document = await with_priority(document, backend.store)
    if _is(call, _DEFINITION):
        return established(document, now)
    return with_support(call.resource, document, now)


def check_change(call: Call, live: Object, new: Object) -> Object:
    """The new object, with what a client may leave out; Refusal where something changes that is fixed."""
    if call.path.subresource:
        return new
    if _is(call, "Pod"):
        keep_resolved(live, new)
    changes = _CHANGES.get(call.resource.kind) if call.resource.is_kubernetes else None
    problems = list(changes(live, new)) if changes else []
    _check(call, new, problems or _problems(call, new))
    _warn(call, new)
    return new


async def tell_support(call: Call, backend: Backend, stored: Stored) -> Stored:
    """The object after a change, with a status that says what nothing acts on now."""
    if call.path.subresource or call.query.dry_run or not call.resource.collection.has_status:
        return stored
    if not may_need_support(call.resource, stored.text):
        return stored
    now = written(backend.clock())
    document = stored.document()
    if _is(call, _DEFINITION) or with_support(call.resource, document, now) is document:
        return stored
    return await backend.store.patch(
        call.key, lambda live: with_support(call.resource, live, now), subresource="status"
    )


def _problems(call: Call, document: Object) -> list[Cause]:
    problems = _PROBLEMS.get(call.resource.kind) if call.resource.is_kubernetes else None
    return list(problems(document)) if problems else []


def _check(call: Call, document: Object, causes: list[Cause]) -> None:
    if causes:
        name = str(document["metadata"].get("name") or document["metadata"].get("generateName") or "")
        raise invalid(call.resource.kind, name, call.api.group, causes)


def _warn(call: Call, document: Object) -> None:
    told = definition_warning(document) if _is(call, _DEFINITION) else warning(call.resource)
    if told and told not in call.warnings:
        call.warnings.append(told)


def _is(call: Call, kind: str) -> bool:
    return call.resource.kind == kind and call.resource.is_kubernetes
