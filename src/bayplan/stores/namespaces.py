"""Namespaces: which ones exist, and what may be created in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.store import Collection, Key
from bayplan.control.store_errors import ForbiddenError, NamespaceNotFoundError
from bayplan.stores.deletion import is_namespace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.control.store import Object
    from bayplan.stores.shelf import Entry, Shelf

NAMESPACES = Collection("", "namespaces", namespaced=False)

FIRST_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
"""The namespaces that every Kubernetes has from the start."""


def namespace_object(name: str) -> Object:
    """A namespace as a client would write it."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def new_namespace(document: Object) -> Object:
    """A namespace as it is stored first: active, and held until everything in it is gone."""
    name = document["metadata"]["name"]
    labels = {**(document["metadata"].get("labels") or {}), "kubernetes.io/metadata.name": name}
    spec = {**(document.get("spec") or {}), "finalizers": ["kubernetes"]}
    metadata = {**document["metadata"], "labels": labels}
    return {**document, "metadata": metadata, "spec": spec, "status": {"phase": "Active"}}


class Namespaces:
    """Whether a namespace takes new objects; those that do are remembered until they change.

    One that is being deleted is looked at each time: its end may be committed before it is noticed here.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._active: set[str] = set()

    def check(self, collection: Collection, namespace: str) -> None:
        """A namespaced object needs a namespace that exists and is not being deleted."""
        if namespace not in self._active:
            self._look(collection, namespace)

    def _look(self, collection: Collection, namespace: str) -> None:
        stored = self._shelf.read(Key(NAMESPACES, "", namespace))
        if stored is None:
            place, following = f"namespaces {namespace}", "create the namespace first"
            raise NamespaceNotFoundError("not found", place=place, next=following)
        if "deletionTimestamp" in stored.document()["metadata"]:
            raise ForbiddenError(
                f"unable to create new content in namespace {namespace} because it is being terminated",
                place=str(collection),
                next="wait until it is gone and create it again",
            )
        self._active.add(namespace)

    def notice(self, entries: Sequence[Entry]) -> None:
        """Forget what a commit changed."""
        for entry in entries:
            if is_namespace(entry.key.collection):
                self._active.discard(entry.key.name)
