"""Which workers a Pod allows: its node selector, required node affinity, operating system, and its node by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bayplan.cluster.selector import NAME_FIELD, Operator, Requirement, Selector
from bayplan.manifests.finding import A_PREFERENCE
from bayplan.manifests.native.labels import read_requirements
from bayplan.manifests.values import name, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.manifests.fields import Fields

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

_SYSTEM = "kubernetes.io/os"
_EMPTY = "nodeSelectorTerms name no condition, so Kubernetes allows no node; write matchExpressions or leave them out"

Term = tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class Allowed:
    """The workers that a Pod allows; `unknown` says what cannot be followed."""

    selector: Selector
    unknown: str = ""


def read_allowed_workers(spec: Fields) -> Allowed:
    """All requirements on workers; preferences become warnings. Other parts of `affinity` are read elsewhere."""
    labels = spec.mapping("nodeSelector", text)
    node = spec.read("nodeName", name)
    selector = Selector.of_labels(labels, *_system(spec), *([] if node is None else [Requirement.of_name(node)]))
    fields = spec.child("affinity").child("nodeAffinity")
    warn_of_preference(fields)
    required = fields.child(REQUIRED)
    terms = [_term(each) for each in required.children("nodeSelectorTerms")]
    required.finish()
    fields.finish()
    if REQUIRED not in fields:
        return Allowed(selector)
    terms = [term for term in terms if term]
    return Allowed(_with_terms(selector, terms)) if terms else Allowed(selector, _EMPTY)


def _system(spec: Fields) -> Term:
    """The operating system: the kubelet starts no Pod of another one; a worker without the label runs Linux."""
    fields = spec.child("os")
    system = fields.read("name", text)
    fields.finish()
    match system:
        case None:
            return ()
        case "linux":
            return (Requirement(_SYSTEM, Operator.NOT_IN, ("windows",)),)
        case _:
            return (Requirement(_SYSTEM, Operator.IN, (system,)),)


def warn_of_preference(fields: Fields) -> None:
    """Warn that a preference is ignored."""
    if PREFERRED in fields:
        fields.warn_ignored(PREFERRED, A_PREFERENCE)
    fields.ignore(PREFERRED)


def _with_terms(selector: Selector, terms: Sequence[Term]) -> Selector:
    if len(terms) == 1:
        return replace(selector, requirements=(*selector.requirements, *terms[0]))
    if (merged := _merged(terms)) is not None:
        return replace(selector, requirements=(*selector.requirements, merged))
    return replace(selector, alternatives=tuple(dict.fromkeys(terms)))


def _term(fields: Fields) -> Term:
    by_label = read_requirements(fields, "matchExpressions")
    by_field = read_requirements(fields, "matchFields")
    for number, each in enumerate(by_field):
        if each.key != NAME_FIELD or each.operator not in (Operator.IN, Operator.NOT_IN):
            message = f"{each} is no condition on a node's name"
            fields.add(message, "matchFields", number, next=f"write {NAME_FIELD} with In or NotIn")
    fields.finish()
    return (*by_label, *(replace(each, on_name=True) for each in by_field))


def _merged(terms: Sequence[Term]) -> Requirement | None:
    """Alternatives that are all `In` on the same label, merged into one `In`."""
    alone = [term[0] for term in terms if len(term) == 1]
    if len(alone) < len(terms) or len({(each.key, each.on_name) for each in alone}) > 1:
        return None
    if any(each.operator is not Operator.IN for each in alone):
        return None
    values = dict.fromkeys(value for each in alone for value in each.values)
    return replace(alone[0], values=tuple(values))
