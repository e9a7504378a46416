"""Pods get their workers: the rules of the binding subresource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.control.store import Collection, Key
from bayplan.control.store_errors import InvalidObjectError, StaleError
from bayplan.stores.metadata import check_uid
from bayplan.stores.refusals import stale

if TYPE_CHECKING:
    from bayplan.control.store import Binding, Object

PODS = Collection("", "pods")


def pod_of(binding: Binding) -> Key:
    """The Pod that a binding names."""
    return Key(PODS, binding.namespace, binding.pod)


def bound_pod(key: Key, binding: Binding, document: Object, now: str) -> Object:
    """The Pod on its worker; StaleError where it cannot get one. A worker that does not exist is no error."""
    metadata = document["metadata"]
    spec = document.setdefault("spec", {})
    check_uid(key, binding.uid, metadata["uid"])
    if binding.revision and binding.revision != metadata["resourceVersion"]:
        raise stale(key, binding.revision, metadata["resourceVersion"])
    if not binding.worker:
        raise InvalidObjectError("a binding needs the name of a worker", place="target.name")
    if "deletionTimestamp" in metadata:
        raise StaleError("the pod is being deleted and cannot be assigned to a host", place=str(key))
    if spec.get("nodeName"):
        raise StaleError(f"the pod is already assigned to node {spec['nodeName']}", place=str(key))
    if gates := spec.get("schedulingGates"):
        names = ", ".join(str(each.get("name")) for each in gates)
        raise StaleError(f"the pod has scheduling gates: {names}", place=str(key), next="remove them first")
    spec["nodeName"] = binding.worker
    if "generation" in metadata:
        metadata["generation"] += 1
    if binding.annotations:
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **binding.annotations}
    _add_condition(document, now)
    return document


def _add_condition(document: Object, now: str) -> None:
    status = document.get("status") or {}
    others = [each for each in status.get("conditions") or () if each.get("type") != "PodScheduled"]
    condition = {"type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": now}
    document["status"] = {**status, "conditions": [*others, condition]}
