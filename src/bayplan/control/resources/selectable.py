"""Which fields a field selector may name, per kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.selection import FieldTerm

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import ResourceType

_ALWAYS = ("metadata.name", "metadata.namespace")
_FURTHER: dict[str, tuple[str, ...]] = {
    "pods": (
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.nominatedNodeName",
    ),
    "nodes": ("spec.unschedulable",),
    "namespaces": ("status.phase",),
    "secrets": ("type",),
    "events": (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "regarding.kind",
        "regarding.namespace",
        "regarding.name",
        "regarding.uid",
        "reason",
        "reportingComponent",
        "reportingController",
        "source",
        "type",
    ),
    "replicasets.apps": ("status.replicas",),
    "jobs.batch": ("status.successful",),
}
_TRUTH_VALUES = frozenset({"spec.unschedulable", "spec.hostNetwork"})
_RENAMED = {"regarding": "involvedObject", "reportingController": "reportingComponent"}
"""Fields of events.k8s.io and what the stored core Event calls them."""

_MEANT = {("events", "source"): "source.component", ("jobs.batch", "status.successful"): "status.succeeded"}
"""Fields that selectors call by another name than documents do."""


def selectable_fields(resource: ResourceType) -> tuple[str, ...]:
    """The fields that may be asked for; any other is refused, as the API server of Kubernetes does."""
    always = _ALWAYS if resource.namespaced else _ALWAYS[:1]
    return (*always, *_FURTHER.get(resource.full_name, ()))


def stored_term(resource: ResourceType, term: FieldTerm) -> FieldTerm:
    """The term about the stored object: `regarding.name` of an Event is `involvedObject.name`.

    A truth value that is absent is false, so `=false` asks for anything but true.
    """
    path = _stored_path(resource, term.path)
    if path in _TRUTH_VALUES and term.value == "false":
        return FieldTerm(path, "true", not term.equal)
    return FieldTerm(path, term.value, term.equal)


def _stored_path(resource: ResourceType, path: str) -> str:
    if resource.full_name == "events":
        first, dot, rest = path.partition(".")
        path = _RENAMED.get(first, first) + dot + rest
    return _MEANT.get((resource.full_name, path), path)
