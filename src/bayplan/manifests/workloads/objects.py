"""The objects of documents: lists are opened, and each object is known by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.manifests.fields import Fields, Findings
from bayplan.manifests.values import what

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bayplan.manifests.paths import Step
    from bayplan.manifests.reader import Document

_DEEPEST_LIST = 4


class Kind(StrEnum):
    """The kinds that are understood, by their own names."""

    WORKLOAD = "Workload"
    CLUSTER = "Cluster"
    SCHEDULER_CONFIG = "SchedulerConfig"
    GPUSTACK_MODEL = "GPUStack model"
    POD = "Pod"
    POD_GROUP = "PodGroup"
    AGENT_POOL = "AgentPool"
    AGENT_CLASS = "AgentClass"
    MODEL = "Model"
    TOOL_BINDING = "ToolBinding"
    NODE = "Node"
    NODE_RESOURCE_TOPOLOGY = "NodeResourceTopology"
    POD_DISRUPTION_BUDGET = "PodDisruptionBudget"


INVENTORY = (Kind.NODE, Kind.NODE_RESOURCE_TOPOLOGY, Kind.POD_DISRUPTION_BUDGET)
"""Kinds that tell what there is, not what is wanted."""

_OURS = ("bayplan.io/v1alpha1",)
_NEURONETES = ("neuronetes.io/v1alpha1", "neuronetes.ai/v1alpha1")
VERSIONS: dict[Kind, tuple[str, ...]] = {
    Kind.WORKLOAD: _OURS,
    Kind.CLUSTER: _OURS,
    Kind.SCHEDULER_CONFIG: _OURS,
    Kind.POD: ("v1",),
    Kind.POD_GROUP: ("scheduling.x-k8s.io/v1alpha1", "scheduling.sigs.k8s.io/v1alpha1"),
    Kind.AGENT_POOL: _NEURONETES,
    Kind.AGENT_CLASS: _NEURONETES,
    Kind.MODEL: _NEURONETES,
    Kind.TOOL_BINDING: _NEURONETES,
    Kind.NODE: ("v1",),
    Kind.NODE_RESOURCE_TOPOLOGY: ("topology.node.k8s.io/v1alpha1", "topology.node.k8s.io/v1alpha2"),
    Kind.POD_DISRUPTION_BUDGET: ("policy/v1", "policy/v1beta1"),
}
"""The apiVersions under which each kind is read; a GPUStack model has none."""


@dataclass(frozen=True, slots=True)
class Object:
    """One object of a document, and what reading it finds; no kind where nobody can tell what it is."""

    kind: Kind | None
    fields: Fields

    @property
    def findings(self) -> Findings:
        return self.fields.findings


def objects_of(documents: Iterable[Document]) -> Iterator[Object]:
    """Every object in order; what is none carries its problem in its findings."""
    for document in documents:
        for steps, data, inherited in _opened(document.data, (), None):
            findings = Findings(document)
            fields = Fields(data, findings, steps)
            yield Object(None if findings.errors else _kind(fields, inherited), fields)


def _opened(data: Any, steps: tuple[Step, ...], kind: str | None) -> Iterator[tuple[tuple[Step, ...], Any, str | None]]:
    """What stands in lists, one by one; the objects of a PodList need not say that they are Pods."""
    if isinstance(data, list | tuple) and len(steps) < _DEEPEST_LIST:
        for number, item in enumerate(data):
            yield from _opened(item, (*steps, number), kind)
    elif _is_list(data) and len(steps) < _DEEPEST_LIST:
        yield from _opened(data["items"], (*steps, "items"), (data.get("kind") or "").removesuffix("List") or None)
    else:
        yield steps, data, kind


def _is_list(data: Any) -> bool:
    """`kind: List`, `PodList` and their like."""
    if not isinstance(data, Mapping) or not isinstance(data.get("items"), list | tuple):
        return False
    kind = data.get("kind")
    return kind is None or (isinstance(kind, str) and kind.endswith("List"))


def _kind(fields: Fields, inherited: str | None) -> Kind | None:
    try:
        kind = inherited if "kind" not in fields else fields.raw("kind")
        return _guessed(fields) if kind is None else _named(kind, fields.raw("apiVersion"))
    except InputError as error:
        fields.add(error.message, *filter(None, [error.place]), next=error.next)
        return None


def _named(kind: object, version: object) -> Kind:
    names = {each.value: each for each in VERSIONS}
    if not isinstance(kind, str) or kind not in names:
        following = did_you_mean(kind, names) if isinstance(kind, str) else f"there are: {', '.join(names)}"
        raise InputError(f"objects of kind {what(kind)} are not read", place="kind", next=following)
    versions = VERSIONS[names[kind]]
    if version is not None and version not in versions:
        message = f"kind {kind} of {what(version)} is not read"
        raise InputError(message, place="apiVersion", next=f"write {' or '.join(versions)}")
    return names[kind]


def _guessed(fields: Fields) -> Kind:
    """An object that does not name its kind."""
    version = fields.raw("apiVersion")
    if version is not None and version not in _OURS:
        raise InputError("is missing", place="kind", next=f"say which kind of {what(version)} this is")
    if "spec" in fields:
        return Kind.WORKLOAD
    if "source" in fields:
        return Kind.GPUSTACK_MODEL
    if "workers" in fields:
        return Kind.CLUSTER
    if "schedulingProfiles" in fields or "plugins" in fields:
        return Kind.SCHEDULER_CONFIG
    known = ", ".join(what(key) for key in list(fields)[:5]) or "nothing"
    message = f"nobody can tell what this is: it has no kind, no spec and no source, but {known}"
    raise InputError(message, next="give a Workload with metadata and spec")
