"""Parts of documents, for rules of single kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.selector import Requirement, Selector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.control.store import Object


def part(document: Mapping[str, Any], *names: str) -> Object:
    """The object at a path; an empty one where it is absent or something else."""
    value: Any = document
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def objects(holder: Mapping[str, Any], name: str) -> list[Object]:
    """The objects in a list; empty where it is absent or something else."""
    value = holder.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def without(holder: Mapping[str, Any], *names: str) -> Object:
    """A copy without some fields; absent, null and empty fields count as the same, as in Go."""
    return {key: each for key, each in holder.items() if key not in names and each not in (None, "", [], {})}


def label_selector(written: Mapping[str, Any]) -> Selector:
    """A label selector of Kubernetes: `matchLabels` and `matchExpressions`; an empty one chooses everything."""
    expressions = [
        Requirement.parse(str(each.get("key")), each.get("operator"), each.get("values") or [], "spec.selector")
        for each in objects(written, "matchExpressions")
    ]
    return Selector.of_labels(part(written, "matchLabels"), *expressions)
