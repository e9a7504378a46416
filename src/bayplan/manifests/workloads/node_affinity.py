"""Which workers a Pod allows: its node selector and the affinity that it requires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.selector import Operator, Requirement, Selector
from bayplan.manifests.native.labels import read_requirements
from bayplan.manifests.values import text

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def read_pod_selector(spec: Fields) -> Selector:
    """Everything that must hold; wishes and what a selector cannot say are told as warnings."""
    labels = spec.mapping("nodeSelector", text)
    affinity = spec.child("affinity")
    required = _node_affinity(affinity.child("nodeAffinity"))
    for key in ("podAffinity", "podAntiAffinity"):
        if key in affinity:
            affinity.warn("is not looked at", key, next="name workloads under antiAffinity of a Workload")
        affinity.ignore(key)
    affinity.finish()
    return Selector.of_labels(labels, *required)


def _node_affinity(fields: Fields) -> list[Requirement]:
    if _PREFERRED in fields:
        fields.warn("is a wish, and wishes do not count", _PREFERRED)
    fields.ignore(_PREFERRED)
    required = fields.child(_REQUIRED)
    terms = [_term(each) for each in required.children("nodeSelectorTerms")]
    required.finish()
    fields.finish()
    if len(terms) <= 1:
        return terms[0] if terms else []
    if (merged := _merged(terms)) is not None:
        return [merged]
    message = "terms that are alternatives are only read where all ask for values of one label"
    required.warn(f"{message}; they are ignored", "nodeSelectorTerms", next="write one term")
    return []


def _term(fields: Fields) -> list[Requirement]:
    found = read_requirements(fields, "matchExpressions")
    if "matchFields" in fields:
        fields.warn("is not looked at", "matchFields", next="select by a label")
    fields.ignore("matchFields")
    fields.finish()
    return found


def _merged(terms: list[list[Requirement]]) -> Requirement | None:
    """Alternatives that all say `In` about one label are one `In`."""
    alone = [term[0] for term in terms if len(term) == 1]
    if len(alone) < len(terms) or len({each.key for each in alone}) > 1:
        return None
    if any(each.operator is not Operator.IN for each in alone):
        return None
    values = dict.fromkeys(value for each in alone for value in each.values)
    return Requirement(alone[0].key, Operator.IN, tuple(values))
