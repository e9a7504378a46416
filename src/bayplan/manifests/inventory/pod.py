"""Pods that are bound to a Node, as bookings: who holds what, as far as Kubernetes tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.identity import WorkloadKey
from bayplan.cluster.mig import MigInstance
from bayplan.cluster.quantities import parse_count
from bayplan.manifests.inventory.amounts import bytes_claimed, cards_counted, cpu_claimed
from bayplan.manifests.inventory.devices import told_devices
from bayplan.manifests.inventory.entry import mapping, mappings, name_of, namespace_of, text, texts
from bayplan.manifests.inventory.node_cards import MIG_RESOURCE, NVIDIA, NVIDIA_SHARED, OTHER_RESOURCES
from bayplan.manifests.inventory.node_text import resource
from bayplan.manifests.pod_groups import GROUP_LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes

_OVER = ("Succeeded", "Failed")
_SHARE_MIB = "alnair/vgpu-memory"
_SHARE_PERCENT = "alnair/vgpu-compute"
_PRIORITY = 2**31 - 1


@dataclass(slots=True)
class Request:
    """What all containers of a Pod ask for together."""

    cpu_milli: int = 0
    ram_mib: int = 0
    cards: dict[str, int] = field(default_factory=dict)
    slices: dict[str, int] = field(default_factory=dict)
    share_mib: int = 0
    share_milli: int = 0


@dataclass(frozen=True, slots=True)
class BoundPod:
    """A Pod that stands on a worker."""

    entry: Entry
    worker: str
    workload: WorkloadKey
    group: str
    priority: int
    request: Request
    annotations: dict[str, str]
    priority_class: str = ""
    """Only where the Pod does not say the number behind it."""


def read_pod(entry: Entry, notes: Notes) -> BoundPod | None:
    """The Pod, or None where it holds nothing: it is over, or no Node was found for it yet."""
    metadata = mapping(entry.data, "metadata", "metadata")
    spec = mapping(entry.data, "spec", "spec")
    name = name_of(metadata, "metadata.name")
    if is_over(entry):
        return None
    worker = text(spec, "nodeName", "spec.nodeName")
    if not worker:
        notes.add(entry, "spec.nodeName", f"Pod {name!r} is bound to no node and holds nothing", alike="unbound")
        return None
    labels = texts(metadata, "labels", "metadata.labels")
    group = group_of(labels)
    priority = parse_count(spec.get("priority") or 0, "spec.priority", minimum=-_PRIORITY, maximum=_PRIORITY)
    annotations = texts(metadata, "annotations", "metadata.annotations")
    whose = WorkloadKey(namespace_of(metadata), group or name)
    named = text(spec, "priorityClassName", "spec.priorityClassName") if spec.get("priority") is None else ""
    return BoundPod(entry, worker, whose, group, priority, _request(spec), annotations, named)


def is_over(entry: Entry) -> bool:
    """Whether a Pod has ended, and holds nothing any more."""
    return text(mapping(entry.data, "status", "status"), "phase", "status.phase") in _OVER


def group_of(labels: Mapping[str, str]) -> str:
    """The group of a Pod with these labels; empty where it has none."""
    return next((value for key in GROUP_LABELS if (value := labels.get(key))), "")


class PodBookings:
    """Makes bookings of Pods, one after the other: which cards are left depends on who came before."""

    def __init__(self, workers: dict[str, Worker], notes: Notes) -> None:
        self._workers, self._notes = workers, notes
        self._replicas: dict[WorkloadKey, int] = {}
        self._taken: dict[str, set[tuple[str, int]]] = {}

    def hold(self, booking: Booking) -> None:
        """Keep cards from being given to Pods that do not say which ones they have."""
        taken = self._taken.setdefault(booking.worker, set())
        taken.update((part.runtime, part.index) for part in booking.cards if part.index is not None)

    def book(self, pod: BoundPod) -> Booking | None:
        """What the Pod holds on its worker; nothing where the inventory has no such worker."""
        worker = self._workers.get(pod.worker)
        if worker is None:
            message = f"the inventory has no node {pod.worker[:64]!r}; what the Pod holds there is left out"
            self._notes.add(pod.entry, "spec.nodeName", message, alike="no such node")
            return None
        replica = self._replicas.get(pod.workload, 0)
        self._replicas[pod.workload] = replica + 1
        booking = Booking(
            pod.workload.name,
            replica,
            pod.worker,
            pod.request.cpu_milli,
            pod.request.ram_mib,
            self._cards(pod, worker),
            pod.priority,
            pod.group or None,
            pod.workload.namespace,
        )
        self.hold(booking)
        return booking

    def _cards(self, pod: BoundPod, worker: Worker) -> tuple[CardBooking, ...]:
        told = told_devices(pod.entry, pod.annotations, worker, self._notes)
        if told:
            return told
        request = pod.request
        parts = [
            CardBooking(None, mig=MigInstance(profile))
            for profile, count in request.slices.items()
            for _ in range(count)
        ]
        for runtime, count in request.cards.items():
            parts += [CardBooking(index, runtime) for index in self._free(pod, worker, runtime, count)]
        if request.share_mib or request.share_milli:
            parts += self._share(pod, worker)
        return tuple(parts)

    def _free(self, pod: BoundPod, worker: Worker, runtime: str, count: int) -> list[int]:
        """The lowest cards that nobody has yet: Kubernetes counts cards and does not say which."""
        taken = self._taken.setdefault(worker.name, set())
        free = [gpu.index for gpu in worker.gpus if gpu.runtime == runtime and (runtime, gpu.index) not in taken]
        if len(free) < count:
            message = f"the Pod holds {count} {runtime} cards and {len(free)} are left on its node; those are booked"
            self._notes.add(pod.entry, "spec.containers", message, alike="too few cards")
        elif len(free) > count:
            message = f"which of the node's cards the Pod holds is not told; the lowest {count} free ones are booked"
            self._notes.add(pod.entry, "spec.containers", message, alike="which cards")
        return free[:count]

    def _share(self, pod: BoundPod, worker: Worker) -> list[CardBooking]:
        uuid = pod.annotations.get("ai.centaurus.io/alnair-gpu-id", "")
        card = next((gpu for gpu in worker.gpus if uuid and gpu.uuid == uuid), None)
        if card is None:
            message = "on which card the Pod has its share is not told; the share is left out"
            self._notes.add(pod.entry, "metadata.annotations", message, alike="which card")
            return []
        request = pod.request
        return [
            CardBooking(card.index, card.runtime, request.share_mib or None, min(1000, request.share_milli) or None)
        ]


def _request(spec: dict[str, Any]) -> Request:
    """Containers and sidecars together, or the largest init container if that asks for more."""
    together = Request()
    for number, container in enumerate(mappings(spec, "containers", "spec.containers")):
        _add(together, container, f"spec.containers[{number}]")
    largest = Request()
    for number, container in enumerate(mappings(spec, "initContainers", "spec.initContainers")):
        place = f"spec.initContainers[{number}]"
        if container.get("restartPolicy") == "Always":
            _add(together, container, place)
        else:
            alone = Request()
            _add(alone, container, place)
            _raise_to(largest, alone)
    _raise_to(together, largest)
    _count(together, mapping(spec, "overhead", "spec.overhead"), "spec.overhead")
    return together


def _add(request: Request, container: dict[str, Any], place: str) -> None:
    resources = mapping(container, "resources", f"{place}.resources")
    limits = mapping(resources, "limits", f"{place}.resources.limits")
    requests = mapping(resources, "requests", f"{place}.resources.requests")
    _count(request, requests, f"{place}.resources.requests")
    _count(request, {key: value for key, value in limits.items() if key not in requests}, f"{place}.resources.limits")


def _count(request: Request, amounts: dict[str, Any], where: str) -> None:
    for key, value in amounts.items():
        if key == "cpu":
            request.cpu_milli += cpu_claimed(value, f"{where}.cpu")
        elif key == "memory":
            request.ram_mib += bytes_claimed(value, f"{where}.memory")
        elif key.startswith(MIG_RESOURCE):
            profile = key.removeprefix(MIG_RESOURCE).lower()
            request.slices[profile] = request.slices.get(profile, 0) + cards_counted(value, resource(where, key))
        elif key in (NVIDIA, NVIDIA_SHARED) or key in OTHER_RESOURCES:
            runtime = OTHER_RESOURCES.get(key, "cuda")
            request.cards[runtime] = request.cards.get(runtime, 0) + cards_counted(value, resource(where, key))
        elif key == _SHARE_MIB:
            request.share_mib += parse_count(value, resource(where, key), maximum=2**20) * 1024
        elif key == _SHARE_PERCENT:
            request.share_milli += parse_count(value, resource(where, key), maximum=10**6) * 10


def _raise_to(request: Request, other: Request) -> None:
    request.cpu_milli = max(request.cpu_milli, other.cpu_milli)
    request.ram_mib = max(request.ram_mib, other.ram_mib)
    request.share_mib = max(request.share_mib, other.share_mib)
    request.share_milli = max(request.share_milli, other.share_milli)
    for mine, theirs in ((request.cards, other.cards), (request.slices, other.slices)):
        for key, count in theirs.items():
            mine[key] = max(mine.get(key, 0), count)
