"""RayCluster, RayService and RayJob: a gang of a head and the workers of its groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.gang import Gang
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count, flag, name, positive
from bayplan.manifests.workloads.controlled_pods import (
    ABOUT_THE_OBJECT,
    ControlledPods,
    Members,
    few_enough,
    is_suspended,
    read_pod_template,
)
from bayplan.manifests.workloads.parallel_flags import warn_of_flags

if TYPE_CHECKING:
    from bayplan.cluster.workload import WorkloadId
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

HEAD = "head"

_OF_A_CLUSTER = (
    "authOptions autoscalerOptions gcsFaultToleranceOptions headServiceAnnotations managedBy rayVersion upgradeStrategy"
)
_OF_A_GROUP = "idleTimeoutSeconds labels maxReplicas rayStartParams resources scaleStrategy"
_OF_THE_HEAD = "enableIngress headService labels rayStartParams resources serviceType"
_OF_A_SERVICE = (
    "deploymentUnhealthySecondThreshold excludeHeadPodFromServeSvc rayClusterDeletionDelaySeconds serveConfigV2"
    " serveService serviceUnhealthySecondThreshold upgradeStrategy managedBy"
)
_OF_A_JOB = (
    "activeDeadlineSeconds backoffLimit deletionPolicy deletionStrategy entrypoint entrypointNumCpus entrypointNumGpus"
    " entrypointResources jobId managedBy metadata runtimeEnvYAML shutdownAfterJobFinishes submissionMode"
    " submitterConfig submitterPodTemplate ttlSecondsAfterFinished preRunningDeadlineSeconds"
)


def collect_ray_cluster(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """The head and the workers of the cluster."""
    fields.ignore(*ABOUT_THE_OBJECT)
    found = _cluster(read_id(fields), fields.child("spec"), classes)
    fields.finish()
    return [found]


def collect_ray_service(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """The cluster that the service runs."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    found = _inner(read_id(fields), spec, "rayClusterConfig", classes)
    spec.leave(*_OF_A_SERVICE.split())
    spec.finish()
    fields.finish()
    return [found]


def collect_ray_job(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """The cluster that the job starts; a job on an existing cluster needs no cards of its own."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    suspended = is_suspended(spec)
    if "clusterSelector" in spec:
        spec.warn("it runs on an existing RayCluster and needs no place of its own", "clusterSelector")
        found = ControlledPods(read_id(fields), (), Gang())
        spec.ignore("clusterSelector", "rayClusterSpec")
    else:
        found = _inner(read_id(fields), spec, "rayClusterSpec", classes)
    spec.leave(*_OF_A_JOB.split())
    spec.finish()
    fields.finish()
    return [ControlledPods(found.id, (), Gang()) if suspended else found]


def _inner(identity: WorkloadId, spec: Fields, key: str, classes: PriorityClasses) -> ControlledPods:
    if key not in spec:
        spec.add("is missing", key, next="give the cluster that it runs on")
        spec.ignore(key)
        return ControlledPods(identity, (), Gang())
    return _cluster(identity, spec.child(key), classes)


@dataclass(frozen=True, slots=True)
class _Group:
    members: Members
    least: int


def _cluster(identity: WorkloadId, spec: Fields, classes: PriorityClasses) -> ControlledPods:
    suspended = is_suspended(spec)
    scales = spec.read("enableInTreeAutoscaling", flag, False)
    if "headGroupSpec" not in spec:
        spec.add("is missing", "headGroupSpec", next="give the template of the head")
    heads = (_head(spec.child("headGroupSpec"), classes),) if "headGroupSpec" in spec else ()
    groups = [_worker_group(each, classes) for each in spec.children("workerGroupSpecs")]
    spec.ignore("headGroupSpec")
    spec.leave(*_OF_A_CLUSTER.split())
    spec.finish()
    members = (*heads, *(each.members for each in groups))
    minimum = 1 + sum(each.least for each in groups) if scales else None
    cards = sum(each.replicas * each.template.cards for each in members)
    for head in heads:
        warn_of_flags(head.template.flagged, cards, "the Pods of the cluster request together")
    return ControlledPods(identity, () if suspended else members, Gang(minimum))


def _head(fields: Fields, classes: PriorityClasses) -> Members:
    template = read_pod_template(fields, classes)
    fields.leave(*_OF_THE_HEAD.split())
    fields.finish()
    return Members(HEAD, 1, template)


def _worker_group(fields: Fields, classes: PriorityClasses) -> _Group:
    """A group of workers; a replica with several hosts is that many Pods."""
    role = fields.need("groupName", name, "?")
    least = fields.read("minReplicas", count, 0)
    replicas = max(least, fields.read("replicas", count, least))
    hosts = fields.read("numOfHosts", positive, 1)
    suspended = is_suspended(fields)
    template = read_pod_template(fields, classes)
    warn_of_flags(template.flagged, template.cards, "each Pod requests")
    fields.leave(*_OF_A_GROUP.split())
    fields.finish()
    pods = 0 if suspended else few_enough(fields, replicas * hosts, "replicas")
    return _Group(Members(role, pods, template), 0 if suspended else least * hosts)
