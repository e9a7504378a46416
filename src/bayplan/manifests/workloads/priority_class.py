"""PriorityClasses: the priority of each class name that Pods use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bayplan.cluster.workload import Preemption
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import flag, name, priority, text, word_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.manifests.fields import Fields

PREEMPTS = "PreemptLowerPriority"
preemption_policy = word_of((PREEMPTS, "Never"))


@dataclass(frozen=True, slots=True)
class PriorityClass:
    """A named priority; one class of a cluster may be the default of Pods that name none."""

    name: str
    value: int
    is_default: bool = False
    preempts: bool = False


_OF_KUBERNETES = (
    PriorityClass("system-cluster-critical", 2_000_000_000),
    PriorityClass("system-node-critical", 2_000_001_000),
)


@dataclass(frozen=True, slots=True)
class PriorityClasses:
    """The known classes: those built into Kubernetes, those of the cluster, and those of the documents."""

    named: Mapping[str, PriorityClass] = field(default_factory=dict)
    knows_all: bool = True

    @classmethod
    def of(cls, classes: Iterable[PriorityClass], *, knows_all: bool = True) -> PriorityClasses:
        """The classes by name; later ones replace earlier ones of the same name.

        Without `knows_all` there may be others, and an unknown name is no reason for a warning.
        """
        return cls({each.name: each for each in (*_OF_KUBERNETES, *classes)}, knows_all)

    @property
    def default(self) -> PriorityClass | None:
        """The class of Pods that name none."""
        return next((each for each in self.named.values() if each.is_default), None)


NO_CLASSES = PriorityClasses.of(())


def collect_priority_class(fields: Fields) -> PriorityClass:
    """A class as far as it can be read."""
    fields.ignore("apiVersion", "kind", "description")
    found = PriorityClass(
        read_id(fields).name,
        fields.read("value", priority, 0),
        fields.read("globalDefault", flag, False),
        fields.read("preemptionPolicy", preemption_policy) == PREEMPTS,
    )
    fields.finish()
    return found


def read_priority(spec: Fields, classes: PriorityClasses) -> tuple[int, Preemption]:
    """The priority of a Pod, and whether it may preempt others."""
    named = _class_of(spec, classes)
    policy = spec.read("preemptionPolicy", preemption_policy)
    preempts = policy == PREEMPTS if policy else named is not None and named.preempts
    value = spec.read("priority", priority, 0 if named is None else named.value)
    return value, Preemption.LOWER_PRIORITY if preempts else Preemption.NEVER


def _class_of(spec: Fields, classes: PriorityClasses) -> PriorityClass | None:
    written = spec.read("priorityClassName", text, "")
    if not written:
        return classes.default
    found = classes.named.get(name(written)) if written.strip() else None
    if found is None and classes.knows_all and "priority" not in spec:
        message = f"no PriorityClass {written[:64]!r} is among the documents or in the cluster; priority 0 is assumed"
        spec.warn(message, "priorityClassName", next="add the PriorityClass, or write priority beside it")
    return found
