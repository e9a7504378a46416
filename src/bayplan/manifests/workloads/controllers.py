"""Deployment, ReplicaSet, StatefulSet and ReplicationController: equal Pods, each placed by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count
from bayplan.manifests.workloads.controlled_pods import (
    ABOUT_THE_OBJECT,
    ControlledPods,
    Members,
    few_enough,
    read_pod_template,
)
from bayplan.manifests.workloads.parallel_flags import warn_of_flags
from bayplan.manifests.workloads.pod_template import warn_of_claims

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

_FOLLOWED = (
    "minReadySeconds ordinals paused podManagementPolicy progressDeadlineSeconds revisionHistoryLimit serviceName"
    " strategy updateStrategy"
)
_NOT_FOLLOWED = "persistentVolumeClaimRetentionPolicy rollbackTo volumeClaimTemplates"
"""What the controllers of a running system follow, and what they do not; no plan needs either."""


def collect_controller(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """As many Pods as `replicas` says."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    replicas = few_enough(spec, spec.read("replicas", count, 1), "replicas")
    template = read_pod_template(spec, classes)
    warn_of_flags(template.flagged, template.cards, "each Pod requests")
    if "volumeClaimTemplates" in spec:
        warn_of_claims(spec, "volumeClaimTemplates")
    spec.ignore("selector")
    spec.leave_to_runtime(_FOLLOWED.split())
    spec.leave(*_NOT_FOLLOWED.split())
    spec.finish()
    found = ControlledPods(read_id(fields), (Members("", replicas, template),))
    fields.finish()
    return [found]
