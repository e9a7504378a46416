"""Labels, selectors, taints and tolerations, in the form that Kubernetes gave them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.selector import Requirement, Selector
from bayplan.cluster.taint import Taint, TaintEffect, Toleration
from bayplan.manifests.fields import present
from bayplan.manifests.values import flag, name, number, one_of, text

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

_effect = one_of(TaintEffect)


def read_selector(owner: Fields, key: str = "selector") -> Selector:
    """A label selector; absent, it matches every worker."""
    fields = owner.child(key)
    labels = fields.mapping("matchLabels", text)
    expressions = read_requirements(fields, "matchExpressions")
    fields.finish()
    return Selector.of_labels(labels, *expressions)


def read_worker_selector(owner: Fields) -> Selector:
    """The selector of a native workload: labels or names of workers, all of `matchExpressions` and one of `anyOf`."""
    fields = owner.child("selector")
    labels = fields.mapping("matchLabels", text)
    expressions = _worker_requirements(fields)
    terms = []
    for each in fields.children("anyOf"):
        terms.append(tuple(_worker_requirements(each)))
        each.finish()
    fields.finish()
    return replace(Selector.of_labels(labels, *expressions), alternatives=tuple(filter(None, terms)))


def _worker_requirements(fields: Fields) -> tuple[Requirement, ...]:
    return present(_worker_requirement(each) for each in fields.children("matchExpressions"))


def _worker_requirement(fields: Fields) -> Requirement | None:
    """A requirement on a label, or with `onName` on the name of the worker."""
    on_name = fields.read("onName", flag, False)
    found = _requirement(fields)
    return found and replace(found, on_name=on_name)


def read_requirements(owner: Fields, key: str) -> list[Requirement]:
    """A list of `{key, operator, values}`."""
    return list(present(_requirement(each) for each in owner.children(key)))


def read_taints(owner: Fields) -> tuple[Taint, ...]:
    """The taints of a worker."""
    return present(_taint(each) for each in owner.children("taints"))


def read_tolerations(owner: Fields) -> tuple[Toleration, ...]:
    """The tolerations of a workload."""
    return present(_toleration(each) for each in owner.children("tolerations"))


def _requirement(fields: Fields) -> Requirement | None:
    label = fields.need("key", name, "")
    operator, values = fields.raw("operator"), fields.raw("values")
    fields.finish()
    if operator is None:
        fields.add("is missing", "operator", next="write In, NotIn, Exists, DoesNotExist, Gt or Lt")
    return fields.build(lambda: Requirement.parse(label, operator, () if values is None else values, ""))


def _taint(fields: Fields) -> Taint | None:
    taint = fields.build(
        Taint,
        key=fields.need("key", name, ""),
        effect=fields.need("effect", _effect, TaintEffect.NO_SCHEDULE),
        value=fields.read("value", text, ""),
    )
    fields.ignore("timeAdded")
    fields.finish()
    return taint


def _toleration(fields: Fields) -> Toleration | None:
    toleration = fields.build(
        Toleration,
        key=fields.read("key", text, ""),
        operator=fields.read("operator", name, "Equal"),
        value=fields.read("value", text, ""),
        effect=fields.read("effect", _maybe_effect),
        seconds=fields.read("tolerationSeconds", number),
    )
    fields.finish()
    return toleration


def _maybe_effect(value: object) -> TaintEffect | None:
    """An empty effect is how Kubernetes writes every effect."""
    return None if value == "" else _effect(value)
