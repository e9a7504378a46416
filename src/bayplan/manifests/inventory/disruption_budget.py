"""PodDisruptionBudgets as budgets: how many Pods of a workload must stay."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from bayplan.cluster.booking import Budget
from bayplan.cluster.identity import WorkloadKey
from bayplan.cluster.quantities import parse_count, parse_percent
from bayplan.cluster.selector import Requirement, Selector
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.entry import mapping, mappings, name_of, namespace_of, texts
from bayplan.manifests.inventory.pod import group_of, is_over
from bayplan.manifests.pod_groups import GROUP_LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from bayplan.cluster.booking import Booking
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes

NAME_LABELS = (*GROUP_LABELS, "app", "app.kubernetes.io/name")
"""Labels by which a selector may name a workload whose Pods are not in the inventory."""

_LIMITS = ("minAvailable", "maxUnavailable")


@dataclass(frozen=True, slots=True)
class LivePod:
    """A Pod that has not ended, bound to a Node or not; budgets count such Pods."""

    entry: Entry
    namespace: str
    workload: str
    group: str
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DisruptionBudget:
    """Which Pods it selects (None: none at all), and how many of them must stay or may go."""

    entry: Entry
    namespace: str
    labels: Mapping[str, str]
    selector: Selector | None
    limit: str
    amount: int | Fraction

    def kept(self, pods: int) -> int:
        """How many of these Pods must stay. Percentages are rounded up in both fields, as in Kubernetes."""
        amount = ceil(self.amount * pods) if isinstance(self.amount, Fraction) else self.amount
        return amount if self.limit == "minAvailable" else max(0, pods - amount)

    def selects(self, pod: LivePod) -> bool:
        """Whether the budget selects this Pod, which is in its namespace."""
        return self.selector is not None and self.selector.matches(pod.labels)


def read_live_pod(entry: Entry) -> LivePod | None:
    """The Pod; None where it has ended."""
    if is_over(entry):
        return None
    metadata = mapping(entry.data, "metadata", "metadata")
    labels = texts(metadata, "labels", "metadata.labels")
    name = name_of(metadata, "metadata.name")
    group = group_of(labels)
    return LivePod(entry, namespace_of(metadata), group or name, group, labels)


def read_disruption_budget(entry: Entry, notes: Notes) -> DisruptionBudget | None:
    """The budget, or None where it sets no limit."""
    metadata, spec = mapping(entry.data, "metadata", "metadata"), mapping(entry.data, "spec", "spec")
    name = name_of(metadata, "metadata.name")
    limits = [each for each in _LIMITS if spec.get(each) is not None]
    if len(limits) > 1:
        raise InputError("two limits are given", place=f"spec.{limits[1]}", next=f"write {' or '.join(limits)}")
    if not limits:
        notes.add(entry, "spec", f"{name[:64]!r} sets no limit and protects no Pod", alike="no limit")
        return None
    selector = mapping(spec, "selector", "spec.selector")
    labels = texts(selector, "matchLabels", "spec.selector.matchLabels")
    requirements = [
        Requirement.parse(name_of(each, f"{place}.key", "key"), each.get("operator"), each.get("values") or (), place)
        for place, each in _expressions(selector)
    ]
    return DisruptionBudget(
        entry,
        namespace_of(metadata),
        labels,
        None if spec.get("selector") is None else Selector.of_labels(labels, *requirements),
        limits[0],
        _amount(spec[limits[0]], f"spec.{limits[0]}"),
    )


def budgets_of(
    found: Sequence[DisruptionBudget], pods: Iterable[LivePod], bookings: Iterable[Booking], notes: Notes
) -> list[Budget]:
    """One budget for each workload that is selected; where several select it, the strictest.

    A budget is of one workload. Where one of Kubernetes is about several, or about some Pods of a group, all Pods
    that it selects stay, which is never too few.
    """
    if not found:
        return []
    booked = Counter(owner.workload for owner in {booking.owner for booking in bookings})
    inside: dict[str, list[LivePod]] = {}
    for pod in pods:
        inside.setdefault(pod.namespace, []).append(pod)
    kept: dict[WorkloadKey, int] = {}
    for each in found:
        near = inside.get(each.namespace, ())
        for name, number in _kept(each, near, booked, notes):
            key = WorkloadKey(each.namespace, name)
            kept[key] = max(number, kept.get(key, 0))
    return [Budget(key.name, number, key.namespace) for key, number in kept.items() if number]


def _kept(
    budget: DisruptionBudget, pods: Sequence[LivePod], booked: Mapping[WorkloadKey, int], notes: Notes
) -> Iterator[tuple[str, int]]:
    """How many replicas must stay, by workload; `pods` are the Pods of the namespace."""
    selected = Counter(pod.workload for pod in pods if budget.selects(pod))
    if not selected:
        named = (WorkloadKey(budget.namespace, budget.labels.get(label, "")) for label in NAME_LABELS)
        key = next((key for key in named if key in booked), None)
        if key is not None:
            yield key.name, budget.kept(booked[key])
        else:
            message = "it selects no Pod of this inventory and protects none"
            notes.add(budget.entry, "spec.selector", message, alike="nobody selected")
        return
    total = selected.total()
    kept = budget.kept(total)
    of_all = Counter(pod.workload for pod in pods if pod.workload in selected)
    if len(selected) == 1 and of_all == selected:
        yield next(iter(selected)), kept
    elif kept:
        if kept < total:
            message = (
                f"of {total} Pods {kept} must stay; they are no workload of their own here, so all of them do: "
                f"give them the label {GROUP_LABELS[0]}"
            )
            notes.add(budget.entry, "spec.selector", message, alike="several workloads")
        yield from of_all.items()


def _expressions(selector: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    place = "spec.selector.matchExpressions"
    for number, each in enumerate(mappings(selector, "matchExpressions", place)):
        yield f"{place}[{number}]", each


def _amount(value: object, place: str) -> int | Fraction:
    """A number of Pods, or a part of them."""
    if isinstance(value, str) and value.strip().endswith("%"):
        return Fraction(str(parse_percent(value, place))) / 100
    return parse_count(value, place)
