"""The workloads whose replicas the Pods of an inventory are, and their gangs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.identity import DEFAULT_NAMESPACE, WorkloadKey
from bayplan.manifests.owners import Owners, Who, api_group, controller_of, told_by_labels
from bayplan.manifests.pod_groups import GROUP_ANNOTATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.manifests.inventory.disruption_budget import LivePod
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes
    from bayplan.manifests.inventory.pod import BoundPod

_MADE_BY_A_SCHEDULER = re.compile(r"-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
"""Volcano and KAI create a group per controller and name it by the uid of the controller; no user named it."""

_POD_GROUP = "PodGroup"


@dataclass(frozen=True, slots=True)
class Whose:
    """The workload of a Pod, and its gang; empty where it has none."""

    workload: str
    gang: str = ""


class PodOwners:
    """The controllers of an inventory; to be asked only after every object has been read."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._owners = Owners()

    def add(self, entry: Entry) -> None:
        """Record the controller of an object; an object without the fields of Kubernetes is ignored."""
        metadata = entry.data.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        if isinstance(metadata, dict) and isinstance(name, str):
            namespace = _namespace(metadata)
            who = Who(api_group(entry.data.get("apiVersion")), entry.kind, namespace, name)
            if entry.kind == _POD_GROUP:  # Pods name a group without saying whose API it is
                who = replace(who, group="")
            self._owners.add(who, controller_of(metadata, namespace))

    def bound(self, pod: BoundPod) -> BoundPod:
        """The Pod as a replica of its controller."""
        if pod.group or pod.told is not None or (whose := self._whose(pod.entry)) is None:
            return pod
        return replace(pod, workload=WorkloadKey(pod.workload.namespace, whose.workload), group=whose.gang)

    def live(self, pod: LivePod) -> LivePod:
        """The same for a Pod that budgets count."""
        if pod.group or (whose := self._whose(pod.entry)) is None:
            return pod
        return replace(pod, workload=whose.workload)

    def _whose(self, entry: Entry) -> Whose | None:
        """The workload of a Pod; None where the Pod is a workload of its own."""
        metadata: dict[str, Any] = entry.data["metadata"]
        references = metadata.get("ownerReferences")
        if references is not None and not isinstance(references, list | tuple):
            message = "it is no list and is ignored; the Pod counts as a workload of its own"
            self._notes.add(entry, "metadata.ownerReferences", message, alike="no owners")
        namespace, labels = _namespace(metadata), metadata.get("labels") or {}
        if (told := told_by_labels(labels, namespace)) is not None:
            return Whose(told.workload, told.workload if told.who.is_gang else "")
        controller = controller_of(metadata, namespace)
        if group := _marked_group(metadata):
            above = self._owners.owner_of({}, Who("", _POD_GROUP, namespace, group), namespace)
            if above is None or above.who.kind == _POD_GROUP:
                return Whose(group, group)
        owned = self._owners.owner_of(labels, controller, namespace)
        return None if owned is None else Whose(owned.workload, owned.workload if owned.who.is_gang else "")


def _marked_group(metadata: Mapping[str, Any]) -> str:
    """The group that annotations name, unless a scheduler made it for the Pod's controller."""
    annotations = metadata.get("annotations") or {}
    named = next((each for key in GROUP_ANNOTATIONS if isinstance(each := annotations.get(key), str) and each), "")
    return "" if _MADE_BY_A_SCHEDULER.search(named) else named


def _namespace(metadata: Mapping[str, Any]) -> str:
    found = metadata.get("namespace")
    return found if isinstance(found, str) and found else DEFAULT_NAMESPACE
