"""CustomResourceDefinitions: the kinds of the known groups are built in, and no other kinds can be added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.kind_rules.fields import objects, part
from bayplan.api.status import Cause
from bayplan.control.resources.kinds import CUSTOM_GROUPS
from bayplan.control.resources.registry import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.control.store import Object


def definition_problems(document: Object) -> Iterator[Cause]:
    """A definition of another group would promise a kind that nothing serves."""
    group = part(document, "spec").get("group")
    if group not in CUSTOM_GROUPS:
        known = ", ".join(sorted(CUSTOM_GROUPS))
        message = (
            f"Invalid value: {str(group)[:80]!r}: kinds cannot be added; those of these groups are built in: {known}"
        )
        yield Cause("spec.group", message)


def definition_warning(document: Object) -> str:
    """What a client is told about a definition that changes nothing."""
    spec = part(document, "spec")
    group, kind = str(spec.get("group"))[:80], str(part(spec, "names").get("kind"))[:80]
    if REGISTRY.of_kind(group, kind) is None:
        return f"the kinds of {group} are built in, and {kind} is not among them: objects of it are refused"
    return f"the kinds of {group} are built in; this definition of {kind} is kept and changes nothing"


def established(document: Object, now: str) -> Object:
    """The definition with the status that clients wait for before they create objects."""
    spec = part(document, "spec")
    names = part(spec, "names")
    served = REGISTRY.of_kind(str(spec.get("group")), str(names.get("kind"))) is not None
    state = "True" if served else "False"
    reasons = (("NamesAccepted", "NoConflicts"), ("Established", "InitialNamesAccepted" if served else "NotBuiltIn"))
    conditions = [
        {"type": kind, "status": state, "reason": reason, "message": definition_warning(document)}
        | {"lastTransitionTime": now}
        for kind, reason in reasons
    ]
    versions = [each.get("name") for each in objects(spec, "versions") if each.get("storage")]
    status = {"conditions": conditions, "acceptedNames": names, "storedVersions": versions}
    return {**document, "status": status}
