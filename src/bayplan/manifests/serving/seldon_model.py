"""Model of `mlops.seldon.io`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.identity import WorkloadKey
from bayplan.manifests.native.server import unique
from bayplan.manifests.serving.replica_range import read_replica_range
from bayplan.manifests.serving.seldon_object import is_being_deleted, read_object
from bayplan.manifests.values import claim_mib_of_bytes, count, flag, name, percent, positive, text
from bayplan.manifests.workloads.checks import check, inside, needed, one, rows
from bayplan.serving.served_model import ServedModel

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.checks import Table

VERSION = "bayplan.io/version"
"""The annotation that names the version which is meant."""

_REFERENCE: Table = {"modelRef": one(text), "pipelineRef": one(text)}
_OTHERS: Table = {
    "storageUri": needed(name),
    "artifactVersion": one(count),
    "schemaUri": one(text),
    "secretName": one(text),
    "logger": inside({"percent": one(percent)}),
    "explainer": inside({"type": one(text), **_REFERENCE}),
    "llm": inside(_REFERENCE),
    "parameters": rows({"name": needed(text), "value": needed(text)}),
    "dataflow": inside({"cleanTopicsOnDelete": one(flag)}),
}
"""Fields that matter for loading a model, and not for its place."""


def collect_seldon_model(fields: Fields) -> ServedModel:
    """A model as far as it can be read; the findings say what is wrong with it."""
    identity, spec = read_object(fields)
    check(spec, _OTHERS if "spec" in fields else {})
    requirements = (*spec.each("requirements", text), spec.read("modelType", text, ""))
    if "memory" not in spec and "spec" in fields:
        spec.warn("is missing, so the model counts as needing no memory", "memory", next="give it: memory: 100Mi")
    if "explainer" in spec and "llm" in spec:
        spec.add("stands beside explainer, and a model is only one of the two", "llm", next="leave one of them out")
    memory_mib = spec.read("memory", claim_mib_of_bytes, 0)
    replicas = read_replica_range(spec)
    model = ServedModel(
        WorkloadKey(identity.namespace, identity.name),
        replicas=replicas.wanted,
        minimum=replicas.least or 0,
        maximum=replicas.most,
        requirements=unique(requirements),
        explainer="explainer" in spec,
        memory_mib=memory_mib,
        server=spec.read("server", text, "").strip() or None,
        dedicated=spec.read("dedicated", flag, False),
        preloaded=spec.read("preloaded", flag, False),
        deleted=is_being_deleted(fields),
        version=_version(fields),
        created_s=identity.created_s,
        spec=dict(spec.data),
    )
    spec.finish()
    return model


def _version(fields: Fields) -> int | None:
    annotations = fields.child("metadata").child("annotations")
    return annotations.read(VERSION, positive) if VERSION in annotations else None
