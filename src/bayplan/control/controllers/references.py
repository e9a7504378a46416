"""Owner references: which object controls a Pod, and how a new one says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.resources.registry import REGISTRY
from bayplan.control.store import Key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.store import Collection, Object


def key_of(collection: Collection, document: Mapping[str, Any]) -> Key:
    """The key of a stored object."""
    metadata = document["metadata"]
    return Key(collection, metadata.get("namespace", ""), metadata["name"])


def controller_reference(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """The reference to the object that controls this one; None where there is none."""
    for each in document["metadata"].get("ownerReferences") or ():
        if each.get("controller"):
            return dict(each)
    return None


def owner_key(reference: Mapping[str, Any], namespace: str) -> Key | None:
    """The key of the object that a reference names; None where its kind is not known here."""
    group = str(reference.get("apiVersion", "")).rpartition("/")[0]
    resource = REGISTRY.of_kind(group, str(reference.get("kind", "")))
    if resource is None:
        return None
    return Key(resource.collection, namespace if resource.namespaced else "", str(reference.get("name", "")))


def controlled_by(owner: Mapping[str, Any]) -> list[Object]:
    """`ownerReferences` of a new object that `owner` controls."""
    metadata = owner["metadata"]
    return [
        {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]


def is_leaving(document: Mapping[str, Any]) -> bool:
    """Whether an object is being deleted."""
    return "deletionTimestamp" in document["metadata"]
