"""Pods that are bound to a Node, as bookings: who holds what, as far as Kubernetes knows it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.booking import Booking
from bayplan.cluster.byte_resources import is_in_bytes
from bayplan.cluster.device_offer import GPU_RESOURCE, MIG_RESOURCE
from bayplan.cluster.frozen_map import NO_AMOUNTS, FrozenMap
from bayplan.cluster.identity import WorkloadKey
from bayplan.cluster.quantities import parse_count
from bayplan.manifests.inventory.amounts import amount_claimed, bytes_claimed, cards_counted, cpu_claimed
from bayplan.manifests.inventory.entry import mapping, mappings, name_of, namespace_of, text, texts
from bayplan.manifests.inventory.hami import CORES, MEMORY, MEMORY_PERCENT, HamiRequest
from bayplan.manifests.inventory.node_cards import OTHER_RESOURCES, is_card
from bayplan.manifests.inventory.node_text import annotation, resource
from bayplan.manifests.inventory.pod_cards import PodCards
from bayplan.manifests.inventory.shared_cards import RENAMED
from bayplan.manifests.inventory.told_booking import told_booking
from bayplan.manifests.kai import RESERVATIONS
from bayplan.manifests.marks import BOOKING
from bayplan.manifests.owners import role_of
from bayplan.manifests.pod_groups import GROUP_LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes
    from bayplan.manifests.inventory.replica_numbers import ReplicaNumbers

_OVER = ("Succeeded", "Failed")
_SHARE_MIB = "alnair/vgpu-memory"
_SHARE_PERCENT = "alnair/vgpu-compute"
_PRIORITY = 2**31 - 1  # Kubernetes holds priorities in 32 bits
_ALL = 100  # percent of a card


@dataclass(slots=True)
class Request:
    """What all containers of a Pod ask for together."""

    cpu_milli: int = 0
    ram_mib: int = 0
    cards: dict[str, int] = field(default_factory=dict)
    slices: dict[str, int] = field(default_factory=dict)
    share_mib: int = 0
    share_milli: int = 0
    resources: dict[str, int] = field(default_factory=dict)
    hami: list[HamiRequest] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BoundPod:
    """A Pod that is bound to a worker."""

    entry: Entry
    worker: str
    workload: WorkloadKey
    group: str
    priority: int
    request: Request
    annotations: dict[str, str]
    labels: dict[str, str]
    priority_class: str = ""
    """Set only where the Pod does not state the number itself."""
    reserves: bool = False
    """Whether it only keeps a card for other Pods, which share it."""
    told: Booking | None = None
    """All that it holds, where Bayplan itself recorded that."""


def read_pod(entry: Entry, notes: Notes) -> BoundPod | None:
    """The Pod; None where it holds nothing, because it has ended or is not bound to a Node."""
    metadata = mapping(entry.data, "metadata", "metadata")
    spec = mapping(entry.data, "spec", "spec")
    name = name_of(metadata, "metadata.name")
    if is_over(entry):
        return None
    worker = text(spec, "nodeName", "spec.nodeName")
    if not worker:
        notes.add(entry, "spec.nodeName", f"Pod {name!r} is on no node yet and holds nothing", alike="unbound")
        return None
    labels = texts(metadata, "labels", "metadata.labels")
    group = group_of(labels)
    priority = parse_count(spec.get("priority") or 0, "spec.priority", minimum=-_PRIORITY, maximum=_PRIORITY)
    annotations = texts(metadata, "annotations", "metadata.annotations")
    whose = WorkloadKey(namespace_of(metadata), group or name)
    named = text(spec, "priorityClassName", "spec.priorityClassName") if spec.get("priority") is None else ""
    request, reserves = _request(spec), whose.namespace in RESERVATIONS
    if reserves:
        request.cards.clear()
    told = _told(entry, annotations, worker, whose.namespace, notes)
    if told is not None:
        whose, group = told.key, told.gang or ""
        told = replace(told, priority=priority) if spec.get("priority") is not None else told
    return BoundPod(entry, worker, whose, group, priority, request, annotations, labels, named, reserves, told)


def _told(entry: Entry, annotations: Mapping[str, str], worker: str, namespace: str, notes: Notes) -> Booking | None:
    text = annotations.get(BOOKING)
    if not text:
        return None
    return notes.attempt(entry, annotation(BOOKING), lambda value, _: told_booking(value, worker, namespace), text)


def is_over(entry: Entry) -> bool:
    """Whether a Pod has ended, so that it holds nothing."""
    return text(mapping(entry.data, "status", "status"), "phase", "status.phase") in _OVER


def group_of(labels: Mapping[str, str]) -> str:
    """The group of a Pod with these labels; empty where it has none."""
    return next((value for key in GROUP_LABELS if (value := labels.get(key))), "")


class PodBookings:
    """Makes bookings of Pods one by one; the cards that are left depend on the Pods before."""

    def __init__(self, workers: dict[str, Worker], notes: Notes, numbers: ReplicaNumbers) -> None:
        self._workers, self._notes, self._cards, self._numbers = workers, notes, PodCards(notes), numbers

    def hold(self, booking: Booking) -> None:
        """Reserve the cards of a known booking, so that they are not given to Pods that do not name their cards."""
        self._cards.hold(booking)

    def book(self, pod: BoundPod) -> Booking | None:
        """What the Pod holds on its worker; nothing where the inventory has no such worker."""
        worker = self._workers.get(pod.worker)
        if worker is None:
            message = f"the inventory has no node {pod.worker[:64]!r}; what the Pod holds there is left out"
            self._notes.add(pod.entry, "spec.nodeName", message, alike="no such node")
            return None
        if pod.told is not None:
            known = tuple(part for part in pod.told.cards if part.card is None or worker.gpu(part.card) is not None)
            if len(known) < len(pod.told.cards):
                message = f"{len(pod.told.cards) - len(known)} cards of the Pod are not on its node; they are left out"
                self._notes.add(pod.entry, annotation(BOOKING), message, alike="no such card")
            booking = replace(pod.told, cards=known) if len(known) < len(pod.told.cards) else pod.told
            self.hold(booking)
            return booking
        if pod.reserves:
            self._cards.reserve(pod, worker)
        booking = Booking(
            pod.workload.name,
            self._numbers.take(pod.workload),
            pod.worker,
            pod.request.cpu_milli,
            pod.request.ram_mib,
            self._cards.of(pod, worker),
            pod.priority,
            pod.group or None,
            pod.workload.namespace,
            FrozenMap(pod.request.resources) if pod.request.resources else NO_AMOUNTS,
            _role(pod),
        )
        self.hold(booking)
        return booking


def _role(pod: BoundPod) -> str:
    """The role that its labels name; in a group, a Pod without a controller is a role under its own name."""
    metadata = pod.entry.data["metadata"]
    if (role := role_of(pod.labels)) or not pod.group or metadata.get("ownerReferences"):
        return role
    return str(metadata["name"])


def _request(spec: dict[str, Any]) -> Request:
    """The sum over containers and sidecars, or the largest init step if that asks for more.

    Sidecars that are listed before an init container run beside it. Amounts of the whole Pod replace these sums.
    """
    together = Request()
    for number, container in enumerate(mappings(spec, "containers", "spec.containers")):
        _add(together, container, f"spec.containers[{number}]")
    largest = Request()
    sidecars: list[tuple[dict[str, Any], str]] = []
    for number, container in enumerate(mappings(spec, "initContainers", "spec.initContainers")):
        starts = container, f"spec.initContainers[{number}]"
        if container.get("restartPolicy") == "Always":
            sidecars.append(starts)
            _add(together, *starts)
        else:
            step = Request()
            for each in (*sidecars, starts):
                _add(step, *each)
            _raise_to(largest, step)
    _raise_to(together, largest)
    if spec.get("resources"):
        _replace_sums(together, spec)
    _count(together, mapping(spec, "overhead", "spec.overhead"), "spec.overhead")
    return together


def _replace_sums(request: Request, spec: dict[str, Any]) -> None:
    """Amounts of the whole Pod; a limit counts where nothing is requested. Kubernetes allows no devices here."""
    resources = mapping(spec, "resources", "spec.resources")
    for key in ("limits", "requests"):
        place, whole = f"spec.resources.{key}", Request()
        _count(whole, mapping(resources, key, place), place)
        wins = key == "requests"
        if wins or not request.cpu_milli:
            request.cpu_milli = whole.cpu_milli or request.cpu_milli
        if wins or not request.ram_mib:
            request.ram_mib = whole.ram_mib or request.ram_mib
        for name, amount in whole.resources.items():
            request.resources[name] = amount if wins else request.resources.get(name) or amount


def _add(request: Request, container: dict[str, Any], place: str) -> None:
    resources = mapping(container, "resources", f"{place}.resources")
    limits = mapping(resources, "limits", f"{place}.resources.limits")
    requests = mapping(resources, "requests", f"{place}.resources.requests")
    _count(request, requests, f"{place}.resources.requests")
    _count(request, {key: value for key, value in limits.items() if key not in requests}, f"{place}.resources.limits")
    if asked := hami_request({**limits, **requests}, f"{place}.resources"):
        request.hami.append(asked)
        if GPU_RESOURCE not in limits and GPU_RESOURCE not in requests:
            request.cards["cuda"] = request.cards.get("cuda", 0) + 1


def hami_request(amounts: Mapping[str, Any], place: str) -> HamiRequest | None:
    """What a container asks of HAMi; None where it names neither memory nor cores.

    HAMi reads more than 100 percent of the cores as 100, and no Pod that asks for more of the memory is bound.
    """
    if not amounts.keys() & {MEMORY, MEMORY_PERCENT, CORES}:
        return None
    memory, percent, cores = (amounts.get(key) for key in (MEMORY, MEMORY_PERCENT, CORES))
    return HamiRequest(
        cards_counted(amounts.get(GPU_RESOURCE, 1), resource(place, GPU_RESOURCE)),
        None if memory is None else parse_count(memory, resource(place, MEMORY)),
        None if percent is None else min(_ALL, parse_count(percent, resource(place, MEMORY_PERCENT))),
        0 if cores is None else min(_ALL, parse_count(cores, resource(place, CORES))) * 10,
    )


def _count(request: Request, amounts: dict[str, Any], where: str) -> None:
    for key, value in amounts.items():
        if key == "cpu":
            request.cpu_milli += cpu_claimed(value, f"{where}.cpu")
        elif key == "memory":
            request.ram_mib += bytes_claimed(value, f"{where}.memory")
        elif key.startswith(MIG_RESOURCE):
            profile = key.removeprefix(MIG_RESOURCE).lower()
            request.slices[profile] = request.slices.get(profile, 0) + cards_counted(value, resource(where, key))
        elif key in (GPU_RESOURCE, RENAMED) or key in OTHER_RESOURCES:
            runtime = OTHER_RESOURCES.get(key, "cuda")
            request.cards[runtime] = request.cards.get(runtime, 0) + cards_counted(value, resource(where, key))
        elif key == _SHARE_MIB:
            request.share_mib += parse_count(value, resource(where, key), maximum=2**20) * 1024
        elif key == _SHARE_PERCENT:
            request.share_milli += parse_count(value, resource(where, key), maximum=10**6) * 10
        elif "/" in key and not is_card(key):
            request.resources[key] = request.resources.get(key, 0) + amount_claimed(value, resource(where, key))
        elif is_in_bytes(key):
            request.resources[key] = request.resources.get(key, 0) + bytes_claimed(value, resource(where, key))


def _raise_to(request: Request, other: Request) -> None:
    request.cpu_milli = max(request.cpu_milli, other.cpu_milli)
    request.ram_mib = max(request.ram_mib, other.ram_mib)
    request.share_mib = max(request.share_mib, other.share_mib)
    request.share_milli = max(request.share_milli, other.share_milli)
    kinds = ((request.cards, other.cards), (request.slices, other.slices), (request.resources, other.resources))
    for mine, theirs in kinds:
        for key, count in theirs.items():
            mine[key] = max(mine.get(key, 0), count)
