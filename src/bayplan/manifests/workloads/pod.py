"""A v1 Pod as a workload or as a member of a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayplan.cluster.workload import Workload
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.workloads.neighbours import NO_NEIGHBOURS, Neighbours, of_a_lone_pod
from bayplan.manifests.workloads.parallel_flags import warn_of_flags
from bayplan.manifests.workloads.pod_template import read_template
from bayplan.manifests.workloads.priority_class import NO_CLASSES

if TYPE_CHECKING:
    from bayplan.cluster.workload import Preemption, Shape, WorkloadId
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses


@dataclass(frozen=True, slots=True)
class PodRead:
    """A Pod, its group, and whether a scheduling gate holds it back.

    Where `is_pod` is false it stands for `replicas` equal Pods of a controller's template.
    """

    id: WorkloadId
    shape: Shape
    group: str | None
    gated: bool
    preemption: Preemption
    replicas: int = 1
    is_pod: bool = True
    neighbours: Neighbours = NO_NEIGHBOURS

    @property
    def alone(self) -> Workload:
        """The Pod as a workload of its own; with 0 replicas while a gate holds it back."""
        shape = of_a_lone_pod(self.neighbours).applied(self.shape, ())
        return Workload(self.id, shape, replicas=self.wanted, preemption=self.preemption)

    @property
    def wanted(self) -> int:
        """How many Pods to place now."""
        return 0 if self.gated else self.replicas


def collect_pod(fields: Fields, classes: PriorityClasses = NO_CLASSES) -> PodRead:
    """A Pod as far as it can be read."""
    fields.ignore("apiVersion", "kind", "status")
    template = read_template(fields.child("metadata"), fields.child("spec"), classes)
    warn_of_flags(template.flagged, template.cards, "the Pod requests")
    pod = PodRead(
        id=read_id(fields, template.priority),
        shape=template.shape,
        group=template.group,
        gated=template.gated,
        preemption=template.preemption,
        neighbours=template.neighbours,
    )
    fields.finish()
    return pod
