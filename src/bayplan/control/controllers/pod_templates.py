"""Pods made of a template of Kubernetes: what a server would fill in is filled in once for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.control.collections import PRIORITY_CLASSES
from bayplan.control.controllers.references import controlled_by
from bayplan.control.controllers.wish import label_value
from bayplan.control.resources.defaults import add_defaults
from bayplan.control.resources.registry import REGISTRY
from bayplan.library.status.documents import part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.cache import Cache
    from bayplan.control.store import Object

SCHEDULER = "bayplan"
_BUILT_IN = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
_POD = REGISTRY.resolve("pods")


def new_pod(
    owner: Mapping[str, Any],
    template: Mapping[str, Any],
    cache: Cache,
    *,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    prefix: str = "",
) -> Object:
    """A Pod of `owner` without a name; the store draws one that begins with the owner's, or with `prefix`."""
    told = part(template, "metadata")
    spec = {"schedulerName": SCHEDULER, **part(template, "spec")}
    metadata = {
        "generateName": prefix or f"{owner['metadata']['name']}-",
        "namespace": owner["metadata"]["namespace"],
        "labels": {**part(told, "labels"), **(labels or {})},
        "annotations": {**part(told, "annotations"), **(annotations or {})},
        "ownerReferences": controlled_by(owner),
    }
    if finalizers := told.get("finalizers"):
        metadata["finalizers"] = finalizers
    if not metadata["annotations"]:
        del metadata["annotations"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, **_priority(spec, cache)}}
    return add_defaults(_POD, _copied(pod))


def _copied(value: Any) -> Any:
    """A copy of plain data: defaults are filled in place, and the template belongs to the cache."""
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value


def _priority(spec: Mapping[str, Any], cache: Cache) -> dict[str, Any]:
    """The number and the policy of the priority class; the default class where none is named."""
    if spec.get("priority") is not None:
        return {}
    name = spec.get("priorityClassName")
    found = next((each for each in cache.all(PRIORITY_CLASSES) if _is_meant(each, name)), None)
    if found is None:
        return {"priority": _BUILT_IN[name]} if name in _BUILT_IN else {}
    return {
        "priorityClassName": found["metadata"]["name"],
        "priority": found.get("value", 0),
        "preemptionPolicy": found.get("preemptionPolicy") or "PreemptLowerPriority",
    }


def _is_meant(priority_class: Mapping[str, Any], name: str | None) -> bool:
    return priority_class["metadata"]["name"] == name if name else bool(priority_class.get("globalDefault"))


def workload_label(owner: Mapping[str, Any]) -> str:
    """The value of the label by which Pods name their pool, job or workload."""
    return label_value(owner["metadata"]["name"])
