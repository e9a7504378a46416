"""Kinds with a template of Pods: their selector is fixed, and chooses the Pods that are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from bayplan.api.kind_rules.fields import label_selector, part, without
from bayplan.api.status import Cause
from bayplan.framework.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.control.store import Object

_IMMUTABLE = "field is immutable"
_FREE_IN_SETS = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
_FIXED_IN_JOBS = ("completions", "selector", "template", "completionMode", "podFailurePolicy")


def template_problems(document: Object) -> Iterator[Cause]:
    """A selector that does not choose the Pods of its own template would make Pods without end."""
    spec = part(document, "spec")
    selector, labels = part(spec, "selector"), part(spec, "template", "metadata", "labels")
    try:
        chosen = label_selector(selector)
    except InputError as error:
        yield Cause("spec.selector", str(error))
        return
    if not chosen.requirements:
        yield Cause("spec.selector", "Invalid value: {}: empty selector is invalid for deployment")
    elif not chosen.matches(labels):
        shown = orjson.dumps(labels).decode()[:200]
        message = f"Invalid value: {shown}: `selector` does not match template `labels`"
        yield Cause("spec.template.metadata.labels", message)


def selector_changes(live: Object, new: Object) -> Iterator[Cause]:
    """Of Deployments and ReplicaSets the selector is fixed: Pods of the old one would be forgotten."""
    yield from _fixed(part(live, "spec"), part(new, "spec"), ("selector",))


def set_changes(live: Object, new: Object) -> Iterator[Cause]:
    """Of a StatefulSet a few fields are free."""
    if without(part(live, "spec"), *_FREE_IN_SETS) != without(part(new, "spec"), *_FREE_IN_SETS):
        *some, last = (f"'{each}'" for each in _FREE_IN_SETS)
        listed = f"{', '.join(some)} and {last}"
        message = f"Forbidden: updates to statefulset spec for fields other than {listed} are forbidden"
        yield Cause("spec", message, "FieldValueForbidden")


def job_changes(live: Object, new: Object) -> Iterator[Cause]:
    """Of a Job what its Pods are is fixed; while it is suspended their template is free."""
    old, spec = part(live, "spec"), part(new, "spec")
    fixed = tuple(each for each in _FIXED_IN_JOBS if each != "template" or not old.get("suspend"))
    yield from _fixed(old, spec, fixed)


def _fixed(old: Object, new: Object, names: tuple[str, ...]) -> Iterator[Cause]:
    for name in names:
        if old.get(name) != new.get(name):
            shown = orjson.dumps(new.get(name)).decode()[:200]
            yield Cause(f"spec.{name}", f"Invalid value: {shown}: {_IMMUTABLE}")
