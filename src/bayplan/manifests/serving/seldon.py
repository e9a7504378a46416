"""Model, Server and ServerConfig of `mlops.seldon.io`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import claim_mib_of_bytes, count, flag, name, percent, text, what
from bayplan.manifests.workloads.checks import anything, check, inside, needed, one, rows, several
from bayplan.manifests.workloads.pod_resources import read_pod_request

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.checks import Table

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_REFERENCE: Table = {"modelRef": one(text), "pipelineRef": one(text)}
_MODEL: Table = {
    "storageUri": needed(name),
    "modelType": one(text),
    "artifactVersion": one(count),
    "schemaUri": one(text),
    "secretName": one(text),
    "storageSecretName": one(text),
    "requirements": several(text),
    "server": one(text),
    "preloaded": one(flag),
    "dedicated": one(flag),
    "logger": inside({"percent": one(percent)}),
    "explainer": inside({"type": one(text), **_REFERENCE}),
    "llm": inside(_REFERENCE),
    "parameters": rows({"name": needed(text), "value": needed(text)}),
    "dataflow": inside({"cleanTopicsOnDelete": one(flag)}),
}
_SERVER: Table = {
    "serverConfig": needed(name),
    "capabilities": several(text),
    "extraCapabilities": several(text),
    "disableAutoUpdate": one(flag),
}
_OF_THE_PODS = ("imageOverrides", "deploymentStrategy", "statefulSetPersistentVolumeClaimRetentionPolicy")


@dataclass(frozen=True, slots=True)
class ReplicaRange:
    """How many replicas are wanted, at least and at most; `most` is None where there is no limit."""

    wanted: int
    least: int
    most: int | None


def collect_seldon_model(fields: Fields) -> ReplicaRange:
    """A model as far as it can be read, and how many replicas of it are wanted."""
    spec = _opened(fields)
    check(spec, _MODEL if "spec" in fields else {})
    if "memory" not in spec and "spec" in fields:
        spec.warn("is missing, so the model counts as needing no memory", "memory", next="give it: memory: 100Mi")
    spec.read("memory", claim_mib_of_bytes)
    if "explainer" in spec and "llm" in spec:
        spec.add("stands beside explainer, and a model is only one of the two", "llm", next="leave one of them out")
    replicas = read_replica_range(spec)
    spec.finish()
    return replicas


def collect_seldon_server(fields: Fields) -> ReplicaRange:
    """A server as far as it can be read."""
    spec = _opened(fields)
    check(spec, _SERVER if "spec" in fields else {})
    _pod_spec(spec)
    spec.leave_to_runtime(_OF_THE_PODS)
    replicas = read_replica_range(spec)
    spec.finish()
    return replicas


def collect_seldon_server_config(fields: Fields) -> None:
    """The template of servers."""
    spec = _opened(fields)
    if "podSpec" not in spec and "spec" in fields:
        spec.add("is missing", "podSpec", next="give the template of its Pods")
    _pod_spec(spec)
    check(spec, {"volumeClaimTemplates": rows({"name": needed(name), "spec": anything, "metadata": anything})})
    spec.leave_to_runtime(("volumeClaimTemplates",))
    spec.finish()


def read_replica_range(spec: Fields) -> ReplicaRange:
    """`replicas`, else `minReplicas` where it is above 0, else 1; a limit of 0 is no limit."""
    wanted, least, most = (spec.read(key, count) for key in ("replicas", "minReplicas", "maxReplicas"))
    low, high = least or 0, most or None
    if high is not None and low > high:
        spec.add(f"{low} is more than maxReplicas, which is {high}", "minReplicas", next="raise one or lower the other")
    elif wanted is not None and wanted < low:
        spec.add(
            f"{wanted} is less than minReplicas, which is {low}", "replicas", next="raise it, or lower the minimum"
        )
    elif wanted is not None and high is not None and wanted > high:
        spec.add(
            f"{wanted} is more than maxReplicas, which is {high}", "replicas", next="lower it, or raise the maximum"
        )
    return ReplicaRange(low or 1 if wanted is None else wanted, low, high)


def _opened(fields: Fields) -> Fields:
    """The spec, which must be there; names become parts of host names, so they have no dots."""
    fields.ignore("apiVersion", "kind", "status")
    written = read_id(fields).name
    if not fields.broken("metadata", "name"):
        fields.child("metadata").read("name", _seldon_name)
    if "spec" not in fields:
        fields.add(f"{written} has no spec", "spec", next="give one")
    spec = fields.child("spec")
    fields.finish()
    return spec


def _pod_spec(spec: Fields) -> None:
    """What the containers ask for must be readable; the rest is for whatever runs the Pods."""
    pod = spec.child("podSpec")
    read_pod_request(pod)
    spec.leave_to_runtime(("podSpec",))


def _seldon_name(value: object) -> str:
    found = name(value)
    if len(found) > 253 or not _NAME.fullmatch(found):
        message = f"{what(found)} is no name of a model or server"
        raise InputError(message, next="write small letters, digits and -, beginning and ending without -")
    return found
