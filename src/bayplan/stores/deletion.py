"""What a deletion does to an object: it goes at once, or it is marked and stays until its finalizers are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bayplan.control.store import Propagation
from bayplan.control.store_errors import ForbiddenError
from bayplan.stores.metadata import check_uid
from bayplan.stores.refusals import stale

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.control.store import Collection, Deletion, Key, Object, Stored

FOREGROUND_FINALIZER = "foregroundDeletion"
"""The object waits for the objects that it owns and that block its deletion."""

ORPHAN_FINALIZER = "orphan"
"""The object waits until the objects that it owns no longer refer to it."""

_COLLECTED = {Propagation.FOREGROUND: FOREGROUND_FINALIZER, Propagation.ORPHAN: ORPHAN_FINALIZER}
# Kubernetes refuses to delete these, because it relies on them.
_LASTING_NAMESPACES = frozenset({"default", "kube-system", "kube-public"})
_GRACE_S = 30  # of a Pod that does not say how long it may take to stop, as in Kubernetes
_ENDED = frozenset({"Succeeded", "Failed"})


class Outcome(NamedTuple):
    """What is written: the marked object, or its last state where it is `gone`."""

    document: Object
    gone: bool


def is_namespace(collection: Collection) -> bool:
    """Whether objects of the collection are namespaces."""
    return collection.plural == "namespaces" and not collection.group


def finalizers_of(document: Object) -> list[str]:
    """The finalizers in a list of the caller's own."""
    return list(document["metadata"].get("finalizers") or ())


def may_go(document: Object) -> bool:
    """Whether an object that is being deleted waits for nothing."""
    metadata: dict[str, Any] = document["metadata"]
    waits = metadata.get("finalizers") or metadata.get("deletionGracePeriodSeconds")
    if document.get("kind") == "Namespace":
        waits = waits or document.get("spec", {}).get("finalizers")
    return "deletionTimestamp" in metadata and not waits


def check_preconditions(key: Key, deletion: Deletion, stored: Stored, document: Object) -> None:
    """Raise where the object is not the one that the caller means, or may never be deleted."""
    check_uid(key, deletion.uid, document["metadata"]["uid"])
    if deletion.revision is not None and deletion.revision != stored.revision:
        raise stale(key, deletion.revision, stored.revision)
    if is_namespace(key.collection) and key.name in _LASTING_NAMESPACES:
        raise ForbiddenError("this namespace may not be deleted", place=str(key))


def deleted_object(key: Key, deletion: Deletion, old: Object, moment: Callable[[int], str]) -> Outcome:
    """The object after a deletion; `moment` writes the time that many seconds from now."""
    metadata = dict(old["metadata"])
    document = {**old, "metadata": metadata}
    kept = [each for each in finalizers_of(old) if each not in _COLLECTED.values()]
    if deletion.propagation in _COLLECTED:
        kept.append(_COLLECTED[deletion.propagation])
    metadata.pop("finalizers", None)
    if kept:
        metadata["finalizers"] = kept
    grace = _grace_s(key, deletion, old)
    left = metadata.get("deletionGracePeriodSeconds")
    if "deletionTimestamp" not in metadata:
        if "generation" in metadata:
            metadata["generation"] += 1  # as in Kubernetes: the wish to be gone is part of what is asked of controllers
        left = None
    if left is None or grace < left:
        metadata["deletionTimestamp"] = moment(grace)
        metadata["deletionGracePeriodSeconds"] = grace
    if is_namespace(key.collection):
        document["status"] = {**(old.get("status") or {}), "phase": "Terminating"}
    return Outcome(old, gone=True) if may_go(document) else Outcome(document, gone=False)


def _grace_s(key: Key, deletion: Deletion, old: Object) -> int:
    """Only a Pod that runs somewhere is given time; everything else has nothing to finish."""
    if str(key.collection) != "pods" or not old.get("spec", {}).get("nodeName"):
        return 0
    if old.get("status", {}).get("phase") in _ENDED:
        return 0
    own = old["spec"].get("terminationGracePeriodSeconds")
    return deletion.grace_s if deletion.grace_s is not None else _GRACE_S if own is None else int(own)
