"""Jobs of Volcano: a gang with a role for each task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.gang import Gang
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count, name, text
from bayplan.manifests.workloads.controlled import (
    ABOUT_THE_OBJECT,
    Controlled,
    Members,
    few_enough,
    read_pod_template,
)
from bayplan.manifests.workloads.parallel_flags import warn_of_flags

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

_NOT_ABOUT_PLACEMENT = (
    "maxRetry minSuccess plugins policies queue runningEstimate schedulerName ttlSecondsAfterFinished volumes"
)


@dataclass(frozen=True, slots=True)
class _Task:
    members: Members
    least: int


def collect_volcano_job(fields: Fields, classes: PriorityClasses) -> list[Controlled]:
    """At least `minAvailable` members, else what its tasks need each."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    tasks = [_task(number, each, classes) for number, each in enumerate(spec.children("tasks"))]
    if not tasks:
        spec.add("is missing", "tasks", next="give at least one")
    minimum = spec.read("minAvailable", count, 0) or sum(each.least for each in tasks)
    spec.read("priorityClassName", text)
    if "networkTopology" in spec:
        spec.warn("is not looked at", "networkTopology", next="write gang.within in a Workload")
    spec.ignore("networkTopology", *_NOT_ABOUT_PLACEMENT.split())
    spec.finish()
    found = Controlled(read_id(fields), tuple(each.members for each in tasks), Gang(minimum))
    fields.finish()
    return [found]


def _task(number: int, fields: Fields, classes: PriorityClasses) -> _Task:
    """Volcano calls a task without a name `default` and its number."""
    role = fields.read("name", name, f"default{number}")
    replicas = few_enough(fields, fields.read("replicas", count, 0), "replicas")
    least = fields.read("minAvailable", count, replicas)
    template = read_pod_template(fields, classes)
    warn_of_flags(template.flagged, template.cards, "each Pod requests")
    fields.ignore("dependsOn", "maxRetry", "partitionPolicy", "policies", "topologyPolicy")
    fields.finish()
    return _Task(Members(role, replicas, template), min(least, replicas))
