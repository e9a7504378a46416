"""Pods that are placed together or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.gang import Gang
from bayplan.cluster.workload import Preemption, Role, Workload, WorkloadId
from bayplan.manifests.finding import A_PREFERENCE
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import number, positive, text
from bayplan.manifests.workloads.neighbours import Sort, settle
from bayplan.manifests.workloads.pod_resources import read_min_resources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.gang import MinResources
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.pod import PodRead

# Demands of Volcano and KAI that no plan follows.
_NOT_FOLLOWED = ("minTaskMember", "subGroupPolicy", "subGroups", "minSubGroup")
_NOT_ABOUT_PLACEMENT = ("queue", "markUnschedulable", "schedulingBackoff", "preemptibility")


@dataclass(frozen=True, slots=True)
class PodGroup:
    """The minimum of members that must be placed together, and the resources that must be free before that."""

    id: WorkloadId
    min_member: int
    min_resources: MinResources | None = None
    unknown: str = ""


def collect_pod_group(fields: Fields) -> PodGroup:
    """A group as far as it can be read; the fields used here are the same in all API groups."""
    fields.ignore("apiVersion", "kind", "status")
    spec = fields.child("spec")
    identity, minimum = read_id(fields), spec.read("minMember", positive, 1)
    group = PodGroup(identity, minimum, read_min_resources(spec), _unknown(spec))
    spec.read("scheduleTimeoutSeconds", number)
    spec.read("priorityClassName", text)
    spec.leave("scheduleTimeoutSeconds", reason="a group is placed by one decision and never waits half placed")
    spec.leave("priorityClassName", reason="the priorities of the Pods count")
    spec.leave(*_NOT_ABOUT_PLACEMENT)
    spec.finish()
    fields.finish()
    return group


def _unknown(spec: Fields) -> str:
    spec.ignore(*_NOT_FOLLOWED)
    reasons = [f"{key} of a PodGroup is not followed; leave it out" for key in _NOT_FOLLOWED if key in spec]
    return "; ".join(filter(None, (read_network_topology(spec), _topology_constraint(spec), *reasons)))


def read_network_topology(spec: Fields) -> str:
    """The reason why Volcano's hard network topology is not followed; a soft one is only a preference."""
    fields = spec.child("networkTopology")
    if "networkTopology" not in spec:
        return ""
    if fields.raw("mode") == "soft":
        spec.warn_ignored("networkTopology", A_PREFERENCE)
        return ""
    return "networkTopology is not followed; write a Workload with gang.within, or mode: soft"


def _topology_constraint(spec: Fields) -> str:
    """The same for the topology constraint of KAI."""
    fields = spec.child("topologyConstraint")
    if "preferredTopologyLevel" in fields:
        fields.warn_ignored("preferredTopologyLevel", A_PREFERENCE)
    if "requiredTopologyLevel" in fields:
        return "requiredTopologyLevel of a PodGroup is not followed; write a Workload with gang.within"
    return ""


def joined(name: str, pods: Sequence[PodRead], group: PodGroup | None) -> Workload:
    """The Pods of a group as one workload, each Pod a role of its own, so that a plan can name it.

    The Pods of one template are a role. A group that no document declares gets a minimum that cannot be met: one more
    than its Pods.
    """
    together = settle([Sort(pod.neighbours, pod.wanted) for pod in pods]).also(group.unknown if group else "")
    roles = tuple(
        Role(
            pod.id.name,
            pod.replicas,
            together.applied(pod.shape, (name,)),
            pod.id.priority,
            pod.preemption,
            is_pod=pod.is_pod,
        )
        for pod in pods
        if pod.wanted
    )
    wanted = sum(pod.wanted for pod in pods)
    first = (group or pods[0]).id
    preempts = any(pod.preemption is Preemption.LOWER_PRIORITY for pod in pods)
    return Workload(
        WorkloadId(
            name,
            namespace=first.namespace,
            uid=group.id.uid if group else "",
            priority=max(pod.id.priority for pod in pods),
            created_s=first.created_s,
        ),
        shape=together.applied(pods[0].shape, (name,)),
        replicas=wanted,
        roles=roles,
        gang=_gang(group, wanted),
        spread_over=together.spread_over,
        preemption=Preemption.LOWER_PRIORITY if preempts else Preemption.NEVER,
    )


def _gang(group: PodGroup | None, pods: int) -> Gang:
    if group is None:
        return Gang(minimum=pods + 1, declared=False)
    return Gang(group.min_member, min_resources=group.min_resources)
