"""Pods: nearly all of a spec is fixed, and a server finds the number behind a priority class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.api.kind_rules.fields import objects, part, without
from bayplan.api.status import Cause, Refusal
from bayplan.control.store import Collection, Key
from bayplan.control.store_errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bayplan.control.store import Object, Store

CLASSES = Collection("scheduling.k8s.io", "priorityclasses", namespaced=False, has_status=False)
_BUILT_IN = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
"""Classes that every Kubernetes has, with their numbers."""
_RESOLVED = ("priority", "preemptionPolicy", "nodeName")
"""What the server fills in; a client that sends its manifest again may leave it out."""
_FREE = ("activeDeadlineSeconds", "terminationGracePeriodSeconds", "containers", "initContainers", "tolerations")
_WHILE_GATED = ("nodeSelector", "affinity")  # as in Kubernetes: a Pod that may not be placed yet can be directed
_MESSAGE = (
    "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def keep_resolved(live: Object, new: Object) -> None:
    """Keep what the server found out where a client left it out; `new` gets a spec of its own then."""
    old, spec = part(live, "spec"), part(new, "spec")
    kept = {name: old[name] for name in _RESOLVED if name in old and spec.get(name) in (None, "")}
    if spec and kept:
        new["spec"] = {**spec, **kept}


def pod_changes(live: Object, new: Object) -> Iterator[Cause]:
    """What may not change in a Pod."""
    old, spec = part(live, "spec"), part(new, "spec")
    if old == spec:
        return
    gates = objects(old, "schedulingGates")
    if any(each not in gates for each in objects(spec, "schedulingGates")):
        yield Cause(
            "spec.schedulingGates",
            "Forbidden: only deletion is allowed, but new gates are given",
            "FieldValueForbidden",
        )
    free = (*_FREE, "schedulingGates", *(_WHILE_GATED if gates else ()))
    same = without(old, *free) == without(spec, *free)
    same = same and all(
        _images_aside(old, name) == _images_aside(spec, name) for name in ("containers", "initContainers")
    )
    added = objects(spec, "tolerations")
    if not same or any(each not in added for each in objects(old, "tolerations")):
        yield Cause("spec", _MESSAGE, "FieldValueForbidden")


def _images_aside(spec: Object, name: str) -> list[Object]:
    # the policy of fetching follows the tag of the image where it is not given
    return [without(each, "image", "imagePullPolicy") for each in objects(spec, name)]


async def with_priority(pod: Object, store: Store) -> Object:
    """The Pod with the number and the policy of its priority class; 403 where there is no such class."""
    spec = part(pod, "spec")
    name = spec.get("priorityClassName") or ""
    found = await _class(name, store) if name else await _default_class(store)
    if found is None:
        return pod
    resolved = {"priorityClassName": part(found, "metadata").get("name"), "priority": found.get("value", 0)}
    resolved["preemptionPolicy"] = found.get("preemptionPolicy") or "PreemptLowerPriority"
    return {**pod, "spec": {**spec, **resolved}}


async def _class(name: str, store: Store) -> Object:
    try:
        return (await store.get(Key(CLASSES, "", name))).document()
    except NotFoundError:
        if name in _BUILT_IN:
            return {"metadata": {"name": name}, "value": _BUILT_IN[name]}
        message = f"pods is forbidden: no PriorityClass with name {name[:80]} was found"
        raise Refusal(403, message, details={"kind": "pods"}) from None


async def _default_class(store: Store) -> Object | None:
    """The class of Pods that name none: of several the one with the smallest number, as in Kubernetes."""
    page = await store.list(CLASSES)
    defaults = [each for each in (stored.document() for stored in page.items) if each.get("globalDefault")]
    return min(defaults, key=lambda each: int(each.get("value") or 0), default=None)
