"""The Pods that a controller asks for: copies of one template, or a gang of several templates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from bayplan.cluster.workload import ANYTHING, MOST_REPLICAS, Preemption, Role, Workload
from bayplan.manifests.values import flag
from bayplan.manifests.workloads.neighbours import Sort, Together, settle
from bayplan.manifests.workloads.parallel_flags import NOTHING_KNOWN
from bayplan.manifests.workloads.pod import PodRead
from bayplan.manifests.workloads.pod_template import Template, read_template

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from bayplan.cluster.gang import Gang
    from bayplan.cluster.workload import WorkloadId
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.priority_class import PriorityClasses

    Collect = Callable[["Fields", PriorityClasses], "Sequence[ControlledPods]"]

ABOUT_THE_OBJECT = ("apiVersion", "kind", "status")

NO_TEMPLATE = Template(ANYTHING, 0, Preemption.NEVER)
"""Stands in for a template that is missing, so that reading goes on."""


@dataclass(frozen=True, slots=True)
class Members:
    """Equal Pods of one template; `role` distinguishes them from other Pods of the controller."""

    role: str
    replicas: int
    template: Template

    @property
    def wanted(self) -> int:
        """How many Pods to place now: none while a scheduling gate holds them back."""
        return 0 if self.template.gated else self.replicas


@dataclass(frozen=True, slots=True)
class ControlledPods:
    """The Pods of one workload of a plan. Without a gang there is one template, and each Pod is placed by itself.

    `siblings` are the names of all workloads of the controller, where there are several. `unknown` is a demand that
    is not understood.
    """

    id: WorkloadId
    members: tuple[Members, ...]
    gang: Gang | None = None
    siblings: tuple[str, ...] = ()
    unknown: str = ""

    @property
    def alone(self) -> ControlledPods | None:
        """The Pods that belong to no group; None where all of them belong to one."""
        own = tuple(each for each in self.members if each.template.group is None)
        return replace(self, members=own) if own or not self.members else None

    @property
    def grouped(self) -> list[PodRead]:
        """The Pods that belong to a group."""
        return [self._grouped(each) for each in self.members if each.template.group is not None]

    @property
    def workload(self) -> Workload:
        """The workload to plan."""
        templates = [each.template for each in self.members]
        preempts = any(each.preemption is Preemption.LOWER_PRIORITY for each in templates)
        identity = replace(self.id, priority=max((each.priority for each in templates), default=0))
        preemption = Preemption.LOWER_PRIORITY if preempts else Preemption.NEVER
        wanted = sum(each.wanted for each in self.members)
        if not templates:
            return Workload(identity, replicas=0)
        names = self.siblings or (self.id.name,)
        together = settle([Sort(each.template.neighbours, each.wanted) for each in self.members], groups=len(names))
        together = together.also(self.unknown)
        roles = () if self.gang is None else _roles(self.members)
        return Workload(
            identity,
            together.applied(templates[0].shape, names),
            wanted,
            tuple(replace(role, shape=together.applied(role.shape, names)) for role in roles),
            self.gang,
            spread_over=together.spread_over,
            preemption=preemption,
        )

    def _grouped(self, members: Members) -> PodRead:
        """Pods of a group, with the controller in their name: a group may have Pods of several controllers."""
        template, name = members.template, self.id.name
        return PodRead(
            id=replace(self.id, name=f"{name}-{members.role}" if members.role else name, priority=template.priority),
            shape=Together(unknown=self.unknown).applied(template.shape, ()),
            group=template.group,
            gated=template.gated,
            preemption=template.preemption,
            replicas=members.replicas,
            is_pod=False,
            neighbours=template.neighbours,
        )


def _roles(members: Iterable[Members]) -> tuple[Role, ...]:
    """The roles of members that are to be placed, each with a different name."""
    found: dict[str, Role] = {}
    for each in members:
        if each.wanted:
            name = unused(each.role, found)
            found[name] = Role(name, each.wanted, each.template.shape, each.template.priority, each.template.preemption)
    return tuple(found.values())


def unused(name: str, taken: Container[str]) -> str:
    """The name, with a number appended where it is taken already."""
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(each for each in names if each not in taken)


def read_pod_template(
    owner: Fields,
    classes: PriorityClasses,
    key: str = "template",
    variables: Mapping[str, str] = NOTHING_KNOWN,
) -> Template:
    """The template of Pods that stands under a key, which must be there."""
    if key not in owner:
        owner.add("is missing", key, next="give the template of its Pods")
        owner.ignore(key)
        return NO_TEMPLATE
    fields = owner.child(key)
    fields.ignore("apiVersion", "kind")
    template = read_template(fields.child("metadata"), fields.child("spec"), classes, variables=variables)
    fields.finish()
    return template


def unmet_annotations(metadata: Fields, *keys: str, step: str) -> str:
    """Why annotations make the workload impossible to plan; empty where they do not. `step` is the next step."""
    annotations = metadata.child("annotations")
    return "; ".join(f"the annotation {key} is not followed; {step}" for key in keys if key in annotations)


def is_suspended(spec: Fields) -> bool:
    """Whether the object is suspended, so that it runs no Pods now."""
    if not spec.read("suspend", flag, False):
        return False
    spec.warn("it is suspended and is not placed yet", "suspend", next="write suspend: false to place it")
    return True


def few_enough(fields: Fields, replicas: int, *inside: str | int) -> int:
    """The number of Pods; 0 with a problem reported where it is too large to be meant."""
    if replicas <= MOST_REPLICAS:
        return replicas
    fields.add(f"{replicas:,} Pods are too many", *inside, next=f"write at most {MOST_REPLICAS:,} in all")
    return 0
