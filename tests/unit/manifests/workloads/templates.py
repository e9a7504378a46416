"""Templates of Pods for controllers, with only what a test is about."""

from bayplan.manifests.workloads.priority_class import NO_CLASSES
from unit.manifests.opened import opened


def template(cards=1, labels=None, annotations=None, args=(), **spec):
    limits = {"nvidia.com/gpu": str(cards)} if cards else {"cpu": "2", "memory": "4Gi"}
    container = {"name": "main", "image": "i", "resources": {"limits": limits}, "args": list(args)}
    metadata = {"labels": labels or {}, "annotations": annotations or {}}
    return {"metadata": metadata, "spec": {"containers": [container], **spec}}


def document(kind, spec, **metadata):
    return {"apiVersion": "x/v1", "kind": kind, "metadata": {"name": "w", **metadata}, "spec": spec, "status": {}}


def collected(collect, spec, classes=NO_CLASSES, **metadata):
    """The entries of a document and the fields with its findings."""
    fields = opened(document("K", spec, **metadata))
    return collect(fields, classes), fields


def members(controlled):
    """Role, number and cards of each sort of members."""
    return [(each.role, each.replicas, each.template.cards) for each in controlled.members]
