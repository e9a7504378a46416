"""The workloads of all documents of a call; a class or group may come after the workload that names it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bayplan.manifests.native.workload import ReadWorkload, collect_workload
from bayplan.manifests.workloads.agent_pool import collect_agent_pool
from bayplan.manifests.workloads.alnair_jobs import (
    collect_elastic_horovod_job,
    collect_horovod_job,
    collect_unified_job,
)
from bayplan.manifests.workloads.controlled_pods import unused
from bayplan.manifests.workloads.controllers import collect_controller
from bayplan.manifests.workloads.gpustack import collect_gpustack_model
from bayplan.manifests.workloads.jobs import collect_cron_job, collect_job, collect_job_set
from bayplan.manifests.workloads.knative import collect_knative_service
from bayplan.manifests.workloads.kserve import collect_inference_service
from bayplan.manifests.workloads.kubeflow import collect_mpi_job, collect_pytorch_job
from bayplan.manifests.workloads.leader_worker_set import collect_leader_worker_set
from bayplan.manifests.workloads.neuronetes import collect_agent_class, collect_model, collect_tool_binding
from bayplan.manifests.workloads.objects import Kind
from bayplan.manifests.workloads.pod import collect_pod
from bayplan.manifests.workloads.pod_group import collect_pod_group, joined
from bayplan.manifests.workloads.ray import collect_ray_cluster, collect_ray_job, collect_ray_service
from bayplan.manifests.workloads.volcano import collect_volcano_job

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.cluster.workload import Workload
    from bayplan.manifests.fields import Fields, Findings
    from bayplan.manifests.workloads.agent_pool import ClassId, PoolRead
    from bayplan.manifests.workloads.controlled_pods import Collect, ControlledPods
    from bayplan.manifests.workloads.pod import PodRead
    from bayplan.manifests.workloads.pod_group import PodGroup
    from bayplan.manifests.workloads.priority_class import PriorityClasses

GroupId = tuple[str, str]
"""Namespace and name."""

CONTROLLERS: dict[Kind, Collect] = {
    Kind.DEPLOYMENT: collect_controller,
    Kind.REPLICA_SET: collect_controller,
    Kind.STATEFUL_SET: collect_controller,
    Kind.REPLICATION_CONTROLLER: collect_controller,
    Kind.JOB: collect_job,
    Kind.CRON_JOB: collect_cron_job,
    Kind.JOB_SET: collect_job_set,
    Kind.LEADER_WORKER_SET: collect_leader_worker_set,
    Kind.PYTORCH_JOB: collect_pytorch_job,
    Kind.MPI_JOB: collect_mpi_job,
    Kind.RAY_CLUSTER: collect_ray_cluster,
    Kind.RAY_SERVICE: collect_ray_service,
    Kind.RAY_JOB: collect_ray_job,
    Kind.VOLCANO_JOB: collect_volcano_job,
    Kind.INFERENCE_SERVICE: collect_inference_service,
    Kind.KNATIVE_SERVICE: collect_knative_service,
}
"""The function that reads each kind of controller."""

WORKLOADS: dict[Kind, Callable[[Fields], Workload]] = {
    Kind.WORKLOAD: collect_workload,
    Kind.GPUSTACK_MODEL: collect_gpustack_model,
    Kind.ELASTIC_HOROVOD_JOB: collect_elastic_horovod_job,
    Kind.HOROVOD_JOB: collect_horovod_job,
    Kind.UNIFIED_JOB: collect_unified_job,
}
"""The function that reads each kind whose objects are a workload by themselves."""

_ELSEWHERE = {
    Kind.CLUSTER: "hand it in as the cluster, with --cluster",
    Kind.SCHEDULER_CONFIG: "hand it in as the config, with --config",
}


@dataclass(slots=True)
class _Place:
    """The position of a workload in the answer, and how it is made once every document has been read."""

    make: Callable[[], Workload]
    findings: list[Findings]


@dataclass(slots=True)
class Assembly:
    """What has been read so far. Without `knows_all`, objects that are missing may be elsewhere."""

    classes: PriorityClasses
    knows_all: bool = True
    places: list[_Place] = field(default_factory=list)
    models: dict[ClassId, str | None] = field(default_factory=dict)
    groups: dict[GroupId, PodGroup] = field(default_factory=dict)
    members: dict[GroupId, dict[str, PodRead]] = field(default_factory=dict)
    group_places: dict[GroupId, _Place] = field(default_factory=dict)

    def take(self, kind: Kind, fields: Fields, *, owned: bool = False) -> None:
        """Read one object; an `owned` one is only checked, because its owner asks for its Pods."""
        if kind is Kind.POD:
            pod = collect_pod(fields, self.classes)
            if not owned:
                self._add_pod(pod, fields)
        elif kind in CONTROLLERS:
            found = CONTROLLERS[kind](fields, self.classes)
            for each in () if owned else found:
                self._add_controlled(each, fields)
        else:
            self._add_other(kind, fields)

    def joined(self) -> list[ReadWorkload]:
        """The workloads, once every object has been read."""
        told: set[int] = set()
        return [_read(each, told) for each in self.places]

    def _add(self, workload: Workload, fields: Fields) -> None:
        self.places.append(_Place(lambda: workload, [fields.findings]))

    def _add_pool(self, pool: PoolRead, fields: Fields) -> None:
        self.places.append(_Place(lambda: self._serving(pool, fields), [fields.findings]))

    def _serving(self, pool: PoolRead, fields: Fields) -> Workload:
        is_elsewhere = pool.agent_class not in self.models and not self.knows_all
        return pool.workload if is_elsewhere else pool.serving(self.models, fields)

    def _add_controlled(self, controlled: ControlledPods, fields: Fields) -> None:
        """Add the workload of the controller, and its Pods in groups; problems have been reported already."""
        if (own := controlled.alone) is not None:
            workload = fields.build(lambda: own.workload)
            if workload is not None:
                self._add(workload, fields)
        for pods in controlled.grouped:
            taken = self.members.get((pods.id.namespace, pods.group or ""), {})
            self._join(replace(pods, id=replace(pods.id, name=unused(pods.id.name, taken))), fields)

    def _add_pod(self, pod: PodRead, fields: Fields) -> None:
        if pod.group is None:
            self._add(pod.alone, fields)
        elif pod.id.name in self.members.get((pod.id.namespace, pod.group), {}):
            message = f"two Pods of the group {pod.group!r} are called {pod.id.name!r}"
            fields.add(message, "metadata", "name", next="give each Pod its own name")
        else:
            self._join(pod, fields)

    def _join(self, pods: PodRead, fields: Fields) -> None:
        group = (pods.id.namespace, pods.group or "")
        self.members.setdefault(group, {})[pods.id.name] = pods
        if group not in self.group_places:
            self.group_places[group] = _Place(lambda: self._grouped(group, fields), [])
            self.places.append(self.group_places[group])
        self.group_places[group].findings.append(fields.findings)

    def _grouped(self, group: GroupId, first: Fields) -> Workload:
        declared = self.groups.get(group)
        if declared is None and self.knows_all:
            message = f"no PodGroup {group[1]!r} is among the documents, so its Pods are not placed"
            first.warn(message, "metadata", "labels", next="add the PodGroup")
        return joined(group[1], list(self.members[group].values()), declared)

    def _add_other(self, kind: Kind, fields: Fields) -> None:
        """Workloads of other dialects, and objects that say something about workloads."""
        match kind:
            case _ if kind in WORKLOADS:
                self._add(WORKLOADS[kind](fields), fields)
            case Kind.AGENT_POOL:
                self._add_pool(collect_agent_pool(fields), fields)
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
            case _ if kind in _ELSEWHERE:
                fields.add(f"a {kind} is not a workload", next=_ELSEWHERE[kind])
            case _:
                """A PriorityClass was read before all others, and objects that describe the cluster are ignored."""


def _read(place: _Place, told: set[int]) -> ReadWorkload:
    """The workload with its warnings; a document of several workloads gives its warnings to the first."""
    workload = place.make()
    warnings = [warning for findings in place.findings if id(findings) not in told for warning in findings.warnings]
    told.update(map(id, place.findings))
    first = place.findings[0]
    return ReadWorkload(workload, first.document, tuple(dict.fromkeys(warnings)), first)
