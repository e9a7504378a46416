"""LeaderWorkerSet: groups of a leader and its workers, each group one gang."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.cluster.gang import Gang
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count, positive
from bayplan.manifests.workloads.controlled_pods import (
    ABOUT_THE_OBJECT,
    ControlledPods,
    Members,
    few_enough,
    read_pod_template,
    unmet_annotations,
)
from bayplan.manifests.workloads.parallel_flags import warn_of_flags
from bayplan.manifests.workloads.pod_template import warn_of_claims

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

MOST_GROUPS = 10_000
"""Each group is a workload of the plan, and a person is to read the plan."""

_GROUP_SIZE = "LWS_GROUP_SIZE"  # each container is given it
_EXCLUSIVE = (
    "leaderworkerset.sigs.k8s.io/exclusive-topology",
    "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology",
)


def collect_leader_worker_set(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """One entry for each group, named NAME-NUMBER."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    groups = spec.read("replicas", count, 1)
    if groups > MOST_GROUPS:
        spec.add(f"{groups:,} groups are too many", "replicas", next=f"write at most {MOST_GROUPS:,}")
        groups = 0
    if "leaderWorkerTemplate" not in spec:
        spec.add("is missing", "leaderWorkerTemplate", next="give the template of its groups")
    members = _members(spec.child("leaderWorkerTemplate"), classes) if "leaderWorkerTemplate" in spec else ()
    spec.leave("rolloutStrategy", "startupPolicy", "networkConfig")
    spec.finish()
    step = "leave it out, or write a Workload with gang.within for each group"
    unknown = unmet_annotations(fields.child("metadata"), *_EXCLUSIVE, step=step)
    identity = read_id(fields)
    fields.finish()
    names = tuple(f"{identity.name}-{number}" for number in range(groups))
    return [ControlledPods(replace(identity, name=each), members, Gang(), names, unknown) for each in names]


def _members(fields: Fields, classes: PriorityClasses) -> tuple[Members, ...]:
    """The leader and the workers; a leader without a template has that of the workers."""
    size = few_enough(fields, fields.read("size", positive, 1), "size")
    given = {_GROUP_SIZE: str(size)}
    worker = read_pod_template(fields, classes, "workerTemplate", given)
    leader = read_pod_template(fields, classes, "leaderTemplate", given) if "leaderTemplate" in fields else worker
    members = (Members("leader", 1, leader), Members("worker", max(0, size - 1), worker))
    cards = sum(each.replicas * each.template.cards for each in members)
    for template in dict.fromkeys((leader, worker)):
        warn_of_flags(template.flagged, cards, "the Pods of a group request together")
    if "volumeClaimTemplates" in fields:
        warn_of_claims(fields, "volumeClaimTemplates")
    fields.ignore("leaderTemplate", "volumeClaimTemplates")
    fields.leave("restartPolicy", "subGroupPolicy", "resizePolicy", "persistentVolumeClaimRetentionPolicy")
    fields.finish()
    return members
