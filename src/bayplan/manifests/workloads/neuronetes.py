"""AgentClass, Model and ToolBinding of the NeuroNetes dialect, the objects beside an AgentPool.

Placement uses only the model of the class; the rest is checked so that every problem is found at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import name, word_of
from bayplan.manifests.workloads.checks import check, check_unused, inside
from bayplan.manifests.workloads.neuronetes_checks import BINDING, CACHE_POLICY, CLASS, EVICTION, MODEL, REFERENCE

if TYPE_CHECKING:
    from bayplan.cluster.workload import WorkloadId
    from bayplan.manifests.fields import Fields


_ONLY_THE_MODEL = "it is checked and kept; only the model of a class counts for placement"
_WHOLE_CARDS = "it is checked and kept; the cards of a pool are given whole, whatever the size of its model"
_NO_MESSAGES = "it is checked and kept; no messages are moved, and pools are not scaled yet"


def collect_agent_class(fields: Fields) -> tuple[WorkloadId, str | None]:
    """The identity of a class, and the name of its model."""
    identity, spec = _opened(fields)
    model = None
    if "modelRef" in spec:
        model = spec.child("modelRef").read("name", name)
        inside(REFERENCE)(spec, "modelRef")
    else:
        spec.add("is missing", "modelRef", next="name the model that the class serves")
    check_unused(spec, CLASS, _ONLY_THE_MODEL)
    spec.finish()
    return identity, model


def collect_model(fields: Fields) -> WorkloadId:
    """The identity of a model."""
    identity, spec = _opened(fields)
    check_unused(spec, MODEL, _WHOLE_CARDS)
    if "cachePolicy" in spec:
        _cache_policy(spec.child("cachePolicy"))
    spec.leave("cachePolicy", reason=_WHOLE_CARDS)
    spec.finish()
    return identity


def collect_tool_binding(fields: Fields) -> WorkloadId:
    """The identity of a binding."""
    identity, spec = _opened(fields)
    check_unused(spec, BINDING, _NO_MESSAGES)
    spec.finish()
    return identity


def _opened(fields: Fields) -> tuple[WorkloadId, Fields]:
    fields.ignore("apiVersion", "kind", "status")
    identity, spec = read_id(fields), fields.child("spec")
    fields.finish()
    return identity, spec


def _cache_policy(fields: Fields) -> None:
    """The cache policy; the examples of the dialect use `lru`, which its CRD does not list."""
    check(fields, CACHE_POLICY)
    if fields.raw("evictionPolicy") == "lru":
        fields.warn(f"'lru' is not one of {' | '.join(EVICTION)}", "evictionPolicy", next="it is read as 'idle'")
    else:
        fields.read("evictionPolicy", word_of(EVICTION))
    fields.finish()
