"""PyTorchJob and MPIJob of Kubeflow: a gang with a role for each type of replica."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bayplan.cluster.gang import Gang
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count
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
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

_NOT_ABOUT_PLACEMENT = (
    "cleanPodPolicy elasticPolicy launcherCreationPolicy mainContainer mpiImplementation nprocPerNode"
    " runLauncherAsWorker slotsPerWorker sshAuthMountPath"
)
_OF_THE_RUN = "activeDeadlineSeconds backoffLimit cleanPodPolicy managedBy ttlSecondsAfterFinished"


def _collect(key: str, fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    run = spec.child("runPolicy")
    suspended = is_suspended(run)
    policy = run.child("schedulingPolicy")
    minimum = policy.read("minAvailable", count)
    policy.leave("minResources", "priorityClass", "queue", "scheduleTimeoutSeconds")
    policy.leave_others(())
    run.leave(*_OF_THE_RUN.split())
    run.finish()
    members = tuple(_replicas(role, each, classes) for role, each in spec.named(key))
    if not members:
        spec.add("is missing", key, next="give at least one type of replica")
    spec.leave(*_NOT_ABOUT_PLACEMENT.split())
    spec.finish()
    found = ControlledPods(read_id(fields), () if suspended else members, Gang(minimum))
    fields.finish()
    return [found]


collect_pytorch_job = partial(_collect, "pytorchReplicaSpecs")
collect_mpi_job = partial(_collect, "mpiReplicaSpecs")


def _replicas(role: str, fields: Fields, classes: PriorityClasses) -> Members:
    replicas = few_enough(fields, fields.read("replicas", count, 1), "replicas")
    template = read_pod_template(fields, classes)
    warn_of_flags(template.flagged, template.cards, "each Pod requests")
    fields.leave("restartPolicy")
    fields.finish()
    return Members(role, replicas, template)
