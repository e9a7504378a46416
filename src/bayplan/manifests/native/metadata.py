"""The identity of a workload: the metadata of an object, in the form of Kubernetes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.cluster.workload import WorkloadId
from bayplan.framework.errors import InputError
from bayplan.manifests.values import name, text, what

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

IDENTITY = ("name", "generateName", "namespace", "uid", "creationTimestamp")
"""The fields that make up an identity."""
UNREAD = (
    "resourceVersion",
    "generation",
    "managedFields",
    "ownerReferences",
    "selfLink",
    "finalizers",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
"""What else Kubernetes has in metadata; labels and annotations are the business of others."""


def read_id(owner: Fields, priority: int = 0) -> WorkloadId:
    """The identity of the object; a name is required, or its beginning, which a server completes."""
    fields = owner.child("metadata")
    fields.ignore("labels", "annotations", *UNREAD)
    beginning = fields.read("generateName", name)
    found = WorkloadId(
        name=fields.need("name", name, "?") if beginning is None else fields.read("name", name, beginning),
        namespace=fields.read("namespace", name, DEFAULT_NAMESPACE),
        uid=fields.read("uid", text, ""),
        priority=priority,
        created_s=fields.read("creationTimestamp", timestamp_s),
    )
    fields.finish()
    return found


def timestamp_s(value: object) -> float:
    """RFC 3339 as seconds since 1970."""
    try:
        time = datetime.fromisoformat(text(value))
        if time.tzinfo is not None:
            return time.timestamp()
    except (ValueError, OverflowError):
        pass
    raise InputError(f"{what(value)} is no time", next="write it as 2026-01-31T12:00:00Z")
