"""The scale subresource: where each kind keeps its number of replicas, and the Scale document made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bayplan.control.resources.resource_type import ResourceType

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScalePaths:
    """Fields of `spec` and `status`; `selector` names the one that says which Pods are counted."""

    wanted: str = "replicas"
    present: str = "replicas"
    selector: str = "status"
    """`spec` for kinds with a label selector there, `status` for kinds that keep it as text."""


_OF_PODS = ScalePaths(selector="spec")


def scale_paths(resource: ResourceType) -> ScalePaths | None:
    """Where the numbers are; None where the kind cannot be scaled."""
    if resource.subresource("scale") is None:
        return None
    return _OF_PODS if resource.group == "apps" else ScalePaths()


def scale_of(resource: ResourceType, document: Document) -> Document:
    """The Scale document of an object."""
    paths = scale_paths(resource) or ScalePaths()
    spec, status = _part(document, "spec"), _part(document, "status")
    wanted = spec.get(paths.wanted)
    selector = selector_text(spec.get("selector")) if paths.selector == "spec" else str(status.get("selector") or "")
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    metadata = _part(document, "metadata")
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {key: metadata[key] for key in kept if key in metadata},
        "spec": {"replicas": _absent(resource, spec) if wanted is None else wanted},
        "status": {"replicas": status.get(paths.present, 0), **({"selector": selector} if selector else {})},
    }


def with_scale(resource: ResourceType, document: Document, replicas: int) -> Document:
    """The object with another number of replicas; it is not changed in place."""
    paths = scale_paths(resource) or ScalePaths()
    return {**document, "spec": {**_part(document, "spec"), paths.wanted: replicas}}


def _absent(resource: ResourceType, spec: Document) -> int:
    """How many replicas are meant where none are given: a pool has its fewest, anything else one."""
    fewest = spec.get("minReplicas") if resource.kind == "AgentPool" else None
    return int(fewest) if isinstance(fewest, int | str) and str(fewest).isdigit() else 1


def _part(document: Document, name: str) -> Document:
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def selector_text(selector: Any) -> str:
    """A label selector as text: `a=b,c in (d,e)`."""
    if not isinstance(selector, dict):
        return ""
    pairs, expressions = _part(selector, "matchLabels"), selector.get("matchExpressions")
    labels = [f"{key}={value}" for key, value in sorted(pairs.items())]
    listed = expressions if isinstance(expressions, list) else ()
    return ",".join([*labels, *(_requirement(each) for each in listed if isinstance(each, dict))])


def _requirement(requirement: Document) -> str:
    key, values = requirement.get("key", ""), ",".join(requirement.get("values") or ())
    match requirement.get("operator"):
        case "In":
            return f"{key} in ({values})"
        case "NotIn":
            return f"{key} notin ({values})"
        case "DoesNotExist":
            return f"!{key}"
    return str(key)
