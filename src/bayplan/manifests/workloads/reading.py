"""Documents of any dialect into workloads, in the order in which they are first mentioned."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.manifests.fields import raise_all
from bayplan.manifests.native.workload import ReadWorkload, collect_workload
from bayplan.manifests.workloads.agent_pool import collect_agent_pool
from bayplan.manifests.workloads.gpustack import collect_gpustack_model
from bayplan.manifests.workloads.neuronetes import collect_agent_class, collect_model, collect_tool_binding
from bayplan.manifests.workloads.objects import Kind, objects_of
from bayplan.manifests.workloads.pod import collect_pod
from bayplan.manifests.workloads.pod_group import collect_pod_group, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bayplan.cluster.workload import Workload
    from bayplan.manifests.fields import Fields, Findings
    from bayplan.manifests.reader import Document
    from bayplan.manifests.workloads.agent_pool import ClassId, PoolRead
    from bayplan.manifests.workloads.objects import Object
    from bayplan.manifests.workloads.pod import PodRead
    from bayplan.manifests.workloads.pod_group import PodGroup

GroupId = tuple[str, str]
"""Namespace and name."""


def read_workloads(documents: Iterable[Document]) -> list[ReadWorkload]:
    """The workloads; InputError with the first problem of any document and the number of all others."""
    objects = list(objects_of(documents))
    found = collect_workloads(objects)
    raise_all([error for each in objects for error in each.findings.errors])
    if not found:
        raise InputError("there is no workload in these documents", place="workloads", next="give at least one")
    return found


def collect_workloads(objects: Iterable[Object]) -> list[ReadWorkload]:
    """The workloads as far as they can be read; what is wrong stands in the findings of each object."""
    gathering = _Gathering()
    for each in objects:
        if each.kind is not None:
            gathering.take(each.kind, each.fields)
    return gathering.joined()


@dataclass(slots=True)
class _Place:
    """Where a workload stands in the answer, and how it is made once every document has been read."""

    make: Callable[[], Workload]
    findings: list[Findings]


@dataclass(slots=True)
class _Gathering:
    """What has been read so far: a class or a group may come after whoever refers to it."""

    places: list[_Place] = field(default_factory=list)
    models: dict[ClassId, str | None] = field(default_factory=dict)
    groups: dict[GroupId, PodGroup] = field(default_factory=dict)
    members: dict[GroupId, list[PodRead]] = field(default_factory=dict)
    group_places: dict[GroupId, _Place] = field(default_factory=dict)

    def take(self, kind: Kind, fields: Fields) -> None:
        """Read one object."""
        match kind:
            case Kind.WORKLOAD:
                self._add(collect_workload(fields), fields)
            case Kind.GPUSTACK_MODEL:
                self._add(collect_gpustack_model(fields), fields)
            case Kind.AGENT_POOL:
                self._add_pool(collect_agent_pool(fields), fields)
            case Kind.POD:
                self._add_pod(collect_pod(fields), fields)
            case _:
                self._add_beside(kind, fields)

    def joined(self) -> list[ReadWorkload]:
        """The workloads, once every object has been read."""
        return [_read(each) for each in self.places]

    def _add(self, workload: Workload, fields: Fields) -> None:
        self.places.append(_Place(lambda: workload, [fields.findings]))

    def _add_pool(self, pool: PoolRead, fields: Fields) -> None:
        self.places.append(_Place(lambda: pool.serving(self.models, fields), [fields.findings]))

    def _add_pod(self, pod: PodRead, fields: Fields) -> None:
        if pod.group is None:
            self._add(pod.alone, fields)
            return
        group = (pod.id.namespace, pod.group)
        members = self.members.setdefault(group, [])
        if any(pod.id.name == other.id.name for other in members):
            message = f"two Pods of the group {pod.group!r} are called {pod.id.name!r}"
            fields.add(message, "metadata", "name", next="give each Pod its own name")
            return
        members.append(pod)
        if len(members) == 1:
            self.group_places[group] = _Place(lambda: self._grouped(group, fields), [])
            self.places.append(self.group_places[group])
        self.group_places[group].findings.append(fields.findings)

    def _grouped(self, group: GroupId, first: Fields) -> Workload:
        declared = self.groups.get(group)
        if declared is None:
            message = f"no PodGroup {group[1]!r} is among the documents, so its Pods are not placed"
            first.warn(message, "metadata", "labels", next="add the PodGroup")
        return joined(group[1], self.members[group], declared)

    def _add_beside(self, kind: Kind, fields: Fields) -> None:
        """Objects that are no workloads, and say something about those that are."""
        match kind:
            case Kind.AGENT_CLASS:
                identity, model = collect_agent_class(fields)
                self.models[identity.namespace, identity.name] = model
            case Kind.POD_GROUP:
                group = collect_pod_group(fields)
                self.groups[group.id.namespace, group.id.name] = group
            case Kind.MODEL:
                collect_model(fields)
            case Kind.TOOL_BINDING:
                collect_tool_binding(fields)
            case _:
                fields.add(f"a {kind} is no workload", next=_ELSEWHERE[kind])


_ELSEWHERE = {
    Kind.CLUSTER: "hand it in as the cluster, with --cluster",
    Kind.SCHEDULER_CONFIG: "hand it in as the config, with --config",
    Kind.NODE: "hand it in as the cluster, with --cluster",
    Kind.NODE_RESOURCE_TOPOLOGY: "hand it in as the cluster, with --cluster",
    Kind.POD_DISRUPTION_BUDGET: "hand it in as the cluster, with --cluster",
}


def _read(place: _Place) -> ReadWorkload:
    workload = place.make()
    warnings = tuple(warning for findings in place.findings for warning in findings.warnings)
    return ReadWorkload(workload, place.findings[0].document, warnings)
