"""Jobs of Volcano: a gang with a role for each task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.gang import Gang
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count, name, text
from bayplan.manifests.workloads.controlled_pods import (
    ABOUT_THE_OBJECT,
    ControlledPods,
    Members,
    few_enough,
    read_pod_template,
)
from bayplan.manifests.workloads.parallel_flags import warn_of_flags
from bayplan.manifests.workloads.pod_group import read_network_topology
from bayplan.manifests.workloads.pod_template import warn_of_claims

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

_NOT_ABOUT_PLACEMENT = (
    "maxRetry minSuccess plugins policies queue runningEstimate schedulerName ttlSecondsAfterFinished volumes"
)


_HARD_NUMA = ("restricted", "single-numa-node")


@dataclass(frozen=True, slots=True)
class _Task:
    members: Members
    least: int
    unknown: str


def collect_volcano_job(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """A gang of at least `minAvailable` members, else of the sum of what its tasks need."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    tasks = [_task(number, each, classes) for number, each in enumerate(spec.children("tasks"))]
    if not tasks:
        spec.add("is missing", "tasks", next="give at least one")
    minimum = spec.read("minAvailable", count, 0) or sum(each.least for each in tasks)
    spec.read("priorityClassName", text)
    unknown = read_network_topology(spec)
    if any("volumeClaimName" in each or "volumeClaim" in each for each in spec.children("volumes")):
        warn_of_claims(spec, "volumes")
    spec.leave(*_NOT_ABOUT_PLACEMENT.split())
    spec.finish()
    found = ControlledPods(
        read_id(fields), tuple(each.members for each in tasks), Gang(minimum), unknown=_joined(unknown, tasks)
    )
    fields.finish()
    return [found]


def _task(number: int, fields: Fields, classes: PriorityClasses) -> _Task:
    """One task as a role; Volcano names a task without a name `default` and its number."""
    role = fields.read("name", name, f"default{number}")
    replicas = few_enough(fields, fields.read("replicas", count, 0), "replicas")
    least = fields.read("minAvailable", count, replicas)
    template = read_pod_template(fields, classes)
    warn_of_flags(template.flagged, template.cards, "each Pod requests")
    unknown = _of_the_task(fields)
    fields.leave("dependsOn", "maxRetry", "policies")
    fields.finish()
    return _Task(Members(role, replicas, template), min(least, replicas), unknown)


def _of_the_task(fields: Fields) -> str:
    policy = fields.read("topologyPolicy", text, "none")
    fields.ignore("partitionPolicy")
    if "partitionPolicy" in fields:
        return "partitionPolicy of a task is not followed; write a task for each partition"
    if policy in _HARD_NUMA:
        return f"topologyPolicy {policy} of a task is not followed; leave it out"
    if policy == "best-effort":
        fields.warn("best-effort is a preference, and does not count", "topologyPolicy")
    return ""


def _joined(unknown: str, tasks: list[_Task]) -> str:
    return "; ".join(dict.fromkeys(filter(None, (unknown, *(each.unknown for each in tasks)))))
