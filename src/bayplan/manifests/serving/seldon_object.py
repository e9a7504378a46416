"""What all objects of Seldon have: a name without dots, and a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.native.server import server_name

if TYPE_CHECKING:
    from bayplan.cluster.workload import WorkloadId
    from bayplan.manifests.fields import Fields


def read_object(fields: Fields) -> tuple[WorkloadId, Fields]:
    """The identity and the spec, which must be there."""
    fields.ignore("apiVersion", "kind", "status")
    identity = read_id(fields)
    if not fields.broken("metadata", "name"):
        fields.child("metadata").read("name", server_name)
    if "spec" not in fields:
        fields.add(f"{identity.name} has no spec", "spec", next="give one")
    spec = fields.child("spec")
    fields.finish()
    return identity, spec


def is_being_deleted(fields: Fields) -> bool:
    """Whether somebody has asked for its deletion."""
    return "deletionTimestamp" in fields.child("metadata")
