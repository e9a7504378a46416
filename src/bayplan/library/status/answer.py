"""`bayplan.status`: the status of PodGroups, worked out from their Pods, and of Models and Servers, from bookings."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.framework.errors import InputError
from bayplan.library.documents import documents_of
from bayplan.library.serving.serving_status import ServingStatuses
from bayplan.library.status.pod_group import GroupCounts, timed_out
from bayplan.manifests.fields import raise_all
from bayplan.manifests.native.metadata import timestamp_s
from bayplan.manifests.pod_groups import GROUP_LABELS
from bayplan.manifests.values import name, text
from bayplan.manifests.workloads.dialects import ignored_kinds
from bayplan.manifests.workloads.objects import Kind, objects_of
from bayplan.manifests.workloads.pod_group import collect_pod_group

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bayplan.library.documents import Given
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.objects import Object

_BOUND = ("Running", "Succeeded", "Failed")


def status(documents: Given | Iterable[Given], cluster: Any = None, *, now: object = None) -> dict[str, Any]:
    """A Status for one PodGroup, Model or Server, a StatusList for several, in the order of the documents.

    Pods may be among the documents or in the cluster; what models hold is in the cluster.
    `now` is a time as text, or seconds since 1970. Without it, it is unknown whether a group has waited for too long.
    """
    objects = list(objects_of(documents_of(documents, "documents")))
    around = [] if cluster is None else list(objects_of(documents_of(cluster, "cluster")))
    pods = _pods(each for each in (*objects, *around) if each.kind is Kind.POD)
    groups = {id(each.findings): _group(each) for each in objects if each.kind is Kind.POD_GROUP}
    serving = ServingStatuses(objects)
    raise_all([error for each in (*objects, *around) for error in each.findings.errors])
    found = serving.answers(cluster) | {
        key: each.answer(pods[each.namespace, each.name], _seconds(now)) for key, each in groups.items()
    }
    if not found:
        told = ignored_kinds(each for each in objects if each.kind is not Kind.POD)
        message = f"there is no PodGroup, Model or Server in these documents{f', only {told}' if told else ''}"
        raise InputError(message, place="documents", next="give a PodGroup and its Pods, or a Model and its cluster")
    answers = [found[id(each.findings)] for each in objects if id(each.findings) in found]
    return answers[0] if len(answers) == 1 else {"kind": "StatusList", "items": answers}


@dataclass(frozen=True, slots=True)
class _Group:
    """A PodGroup as far as its status needs it."""

    namespace: str
    name: str
    minimum: int
    before: str
    document: Mapping[str, Any]

    def answer(self, phases: list[str], now: float | None) -> dict[str, Any]:
        counts = GroupCounts(
            pods=len(phases),
            running=phases.count("Running"),
            succeeded=phases.count("Succeeded"),
            failed=phases.count("Failed"),
            bound=sum(each in _BOUND for each in phases),
        )
        phase = counts.phase(self.before, self.minimum)
        return {
            "kind": "Status",
            "workload": self.name,
            "namespace": self.namespace,
            "phase": phase,
            "min_member": self.minimum,
            "pods": counts.pods,
            "running": counts.running,
            "succeeded": counts.succeeded,
            "failed": counts.failed,
            "timed_out": timed_out(phase, self.document, now),
        }


def _group(each: Object) -> _Group:
    before = each.fields.child("status").read("phase", text, "")
    read = collect_pod_group(each.fields)
    return _Group(read.id.namespace, read.id.name, read.min_member, before, each.fields.data)


def _pods(objects: Iterable[Object]) -> defaultdict[tuple[str, str], list[str]]:
    """Phases of Pods by namespace and group; Pods that are being deleted do not count."""
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for each in objects:
        namespace, group, phase = _pod(each.fields)
        if group and phase is not None:
            found[namespace, group].append(phase)
    return found


def _pod(fields: Fields) -> tuple[str, str, str | None]:
    metadata = fields.child("metadata")
    labels = metadata.labels("labels")
    group = next((value for key in GROUP_LABELS if (value := labels.get(key))), "")
    phase = fields.child("status").read("phase", text, "Pending")
    leaves = "deletionTimestamp" in metadata and phase not in ("Succeeded", "Failed")
    return metadata.read("namespace", name, DEFAULT_NAMESPACE), group, None if leaves else phase


def _seconds(now: object) -> float | None:
    if now is None or isinstance(now, str):
        try:
            return None if now is None else timestamp_s(now)
        except InputError as error:
            raise InputError(error.message, place="now", next=error.next) from None
    if isinstance(now, bool) or not isinstance(now, int | float) or not math.isfinite(now):
        raise InputError(f"{now!r} is no time", place="now", next="give seconds since 1970, or 2026-01-31T12:00:00Z")
    return float(now)
