"""Service of Knative: equal Pods, at least one of which must be placed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import count
from bayplan.manifests.workloads.controlled_pods import ABOUT_THE_OBJECT, ControlledPods, Members, few_enough
from bayplan.manifests.workloads.parallel_flags import warn_of_flags
from bayplan.manifests.workloads.pod_template import read_template

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

_MIN_SCALES = ("autoscaling.knative.dev/min-scale", "autoscaling.knative.dev/minScale")
_OF_A_REVISION = ("containerConcurrency", "timeoutSeconds", "responseStartTimeoutSeconds", "idleTimeoutSeconds")


def collect_knative_service(fields: Fields, classes: PriorityClasses) -> list[ControlledPods]:
    """As many Pods as the `min-scale` annotation keeps running, and at least one."""
    fields.ignore(*ABOUT_THE_OBJECT)
    spec = fields.child("spec")
    if "template" not in spec:
        spec.add("is missing", "template", next="give the template of its Pods")
    members = (_revision(spec.child("template"), classes),) if "template" in spec else ()
    spec.ignore("template")
    spec.leave("traffic")
    spec.finish()
    found = ControlledPods(read_id(fields), members)
    fields.finish()
    return [found]


def _revision(revision: Fields, classes: PriorityClasses) -> Members:
    metadata, spec = revision.child("metadata"), revision.child("spec")
    annotations = metadata.child("annotations")
    scales = [annotations.read(key, count) for key in _MIN_SCALES]
    replicas = max(1, next((each for each in scales if each is not None), 1))
    spec.leave(*_OF_A_REVISION)
    template = read_template(metadata, spec, classes)
    warn_of_flags(template.flagged, template.cards, "each Pod requests")
    revision.finish()
    return Members("", few_enough(annotations, replicas), template)
