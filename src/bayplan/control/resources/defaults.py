"""Defaults of Kubernetes that clients rely on: an object that is stored says what it means.

`spec.schedulerName` stays as it was given: the Pods that Bayplan places name it.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any

from bayplan.control.resources.schema import schema_of
from bayplan.control.resources.shape import Form

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import ResourceType
    from bayplan.control.resources.shape import ObjectType, Shape

Document = dict[str, Any]

_GROUPS = frozenset({"", "apps", "batch", "scheduling.k8s.io"})
_NOT_FILLED = frozenset({"metadata", "status"})
_WITH_SPEC = frozenset({"Pod", "Service", "Namespace"})  # a document without a spec gets one, for the defaults in it


def add_defaults(resource: ResourceType, document: Document) -> Document:
    """Fill in what is absent, in place; kinds of dialects have no defaults, because their readers know them."""
    if resource.group in _GROUPS:
        if resource.kind in _WITH_SPEC:
            document.setdefault("spec", {})
        _fill(schema_of(resource), document)
        _SPECIAL.get(resource.kind, _nothing)(document)
    return document


@cache
def _plan(kind: ObjectType) -> tuple[tuple[tuple[str, Any], ...], dict[str, Shape]]:
    """The fields of a type that have defaults, and those with defaults somewhere inside."""
    fields = kind.fields.values()
    own = tuple((each.name, each.default) for each in fields if each.default is not None)
    inner = {
        each.name: each.shape
        for each in fields
        if each.name not in _NOT_FILLED and _has_defaults(each.shape, frozenset({kind}))
    }
    return own, inner


def _has_defaults(shape: Shape, above: frozenset[ObjectType]) -> bool:
    """Whether a default is anywhere inside; a type that contains itself is looked at once."""
    if shape.item is not None:
        return _has_defaults(shape.item, above)
    if shape.type is None or shape.type in above:
        return False
    fields, deeper = shape.type.fields.values(), above | {shape.type}
    return any(each.default is not None or _has_defaults(each.shape, deeper) for each in fields)


def _fill(shape: Shape, value: Any) -> None:
    """Set the defaults of an object and of everything inside it; objects that are absent stay absent."""
    if shape.type is not None and isinstance(value, dict):
        own, inner = _plan(shape.type)
        for name, default in own:
            if value.get(name) is None:
                value[name] = deepcopy(default) if type(default) in {dict, list} else default
        for name, each in inner.items():
            if name in value:
                _fill(each, value[name])
    elif shape.form is Form.LIST and isinstance(value, list) and shape.item is not None:
        for each in value:
            _fill(shape.item, each)


def _nothing(document: Document) -> None:
    """Most kinds have no defaults beyond those of their fields."""


def _pod(document: Document) -> None:
    _pod_spec(document.get("spec"))
    status = document.setdefault("status", {})
    if isinstance(status, dict):
        status.setdefault("phase", "Pending")


def _template(document: Document) -> None:
    _pod_spec(_part(_part(document, "spec"), "template").get("spec"))


def _part(document: Document, name: str) -> Document:
    """The object in a field; an empty one of its own where the field is absent or something else."""
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _pod_spec(spec: Any) -> None:
    if not isinstance(spec, dict):
        return
    for name in ("containers", "initContainers"):
        containers = spec.get(name)
        for each in containers if isinstance(containers, list) else ():
            if isinstance(each, dict):
                _container(each)
    if spec.get("serviceAccountName"):
        spec.setdefault("serviceAccount", spec["serviceAccountName"])


def _container(container: Document) -> None:
    """An image with a fixed tag is fetched once; what is limited and not requested is requested."""
    image = container.get("image")
    if isinstance(image, str) and image and not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = "Always" if _moves(image) else "IfNotPresent"
    resources = _part(container, "resources")
    if limits := _part(resources, "limits"):
        resources["requests"] = {**limits, **_part(resources, "requests")}


def _moves(image: str) -> bool:
    """Whether the tag may mean another image tomorrow: `latest`, or none at all."""
    if "@" in image:
        return False
    _, colon, tag = image.rpartition("/")[2].partition(":")
    return not colon or tag == "latest"


def _deployment(document: Document) -> None:
    _template(document)
    strategy = _part(_part(document, "spec"), "strategy")
    if strategy.get("type") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        if isinstance(rolling, dict):
            rolling.setdefault("maxUnavailable", "25%")
            rolling.setdefault("maxSurge", "25%")


def _job(document: Document) -> None:
    """One Pod that must succeed; a Job with parallelism alone works off a queue."""
    _template(document)
    spec = _part(document, "spec")
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)


def _service(document: Document) -> None:
    ports = _part(document, "spec").get("ports")
    for each in ports if isinstance(ports, list) else ():
        if isinstance(each, dict) and "port" in each:
            each.setdefault("targetPort", each["port"])


def _namespace(document: Document) -> None:
    status = document.setdefault("status", {})
    if isinstance(status, dict):
        status.setdefault("phase", "Active")


_SPECIAL = {
    "Pod": _pod,
    "Deployment": _deployment,
    "ReplicaSet": _template,
    "StatefulSet": _template,
    "Job": _job,
    "Service": _service,
    "Namespace": _namespace,
}
