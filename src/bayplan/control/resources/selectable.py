"""Which fields a field selector may name, per kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
    "replicasets.apps": ("status.replicas",),
    "jobs.batch": ("status.successful",),
}
_RENAMED = {"regarding": "involvedObject", "reportingController": "reportingComponent"}
"""Fields of events.k8s.io and what the stored core Event calls them."""

_MEANT = {("events", "source"): "source.component", ("jobs.batch", "status.successful"): "status.succeeded"}
"""Fields that selectors call by another name than documents do."""


def selectable_fields(resource: ResourceType) -> tuple[str, ...]:
    """The fields that may be asked for; any other is refused, as the API server of Kubernetes does."""
    always = _ALWAYS if resource.namespaced else _ALWAYS[:1]
    return (*always, *_FURTHER.get(resource.full_name, ()))


def stored_field(resource: ResourceType, path: str) -> str:
    """The path of a field in the stored object: `regarding.name` of an Event is `involvedObject.name`."""
    if resource.full_name == "events":
        first, dot, rest = path.partition(".")
        path = _RENAMED.get(first, first) + dot + rest
    return _MEANT.get((resource.full_name, path), path)
