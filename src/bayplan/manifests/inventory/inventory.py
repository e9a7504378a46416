"""A whole inventory as one cluster: every object is read, then objects about the same worker are joined."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bayplan.cluster.cluster import Cluster
from bayplan.cluster.snapshot import by_worker
from bayplan.framework.errors import InputError
from bayplan.manifests.collector import collector_paused
from bayplan.manifests.fields import read_whole
from bayplan.manifests.inventory.disruption_budget import budgets_of, read_disruption_budget, read_live_pod
from bayplan.manifests.inventory.entry import namespace_of
from bayplan.manifests.inventory.gpustack_instance import InstanceBookings, read_instance
from bayplan.manifests.inventory.gpustack_worker import read_gpustack_worker
from bayplan.manifests.inventory.kinds import (
    CLUSTER,
    DISRUPTION_BUDGET,
    GPUSTACK_INSTANCE,
    GPUSTACK_WORKER,
    MODEL,
    NODE,
    POD,
    PRIORITY_CLASS,
    TOPOLOGY,
    entries_of,
)
from bayplan.manifests.inventory.model_cache import add_cached, is_model, read_cached
from bayplan.manifests.inventory.node import read_node
from bayplan.manifests.inventory.notes import Notes
from bayplan.manifests.inventory.pod import PodBookings, read_pod
from bayplan.manifests.inventory.pod_owners import PodOwners
from bayplan.manifests.inventory.replica_numbers import ReplicaNumbers
from bayplan.manifests.inventory.resource_topology import given_back, joined, read_zones
from bayplan.manifests.inventory.seldon_servers import SeldonServers, is_seldon
from bayplan.manifests.native.cluster import collect_cluster
from bayplan.manifests.owners import api_group
from bayplan.manifests.workloads.objects import OF_GROUPS
from bayplan.manifests.workloads.priority_class import PriorityClasses, collect_priority_class

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bayplan.cluster.booking import Booking, Budget
    from bayplan.cluster.server import Server
    from bayplan.cluster.serving_booking import ServingBooking
    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.disruption_budget import DisruptionBudget, LivePod
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.gpustack_instance import Instance
    from bayplan.manifests.inventory.kinds import Dialect
    from bayplan.manifests.inventory.model_cache import Cached
    from bayplan.manifests.inventory.pod import BoundPod
    from bayplan.manifests.inventory.resource_topology import Zones
    from bayplan.manifests.reader import Document
    from bayplan.manifests.workloads.priority_class import PriorityClass

PodName = tuple[str, str]
"""Namespace and name."""

_CONTROLLERS = frozenset({*OF_GROUPS, ("apps", "DaemonSet")})


@dataclass(frozen=True, slots=True)
class Inventory:
    """A cluster, the PriorityClasses beside it, and what was ignored or assumed while it was read."""

    cluster: Cluster
    warnings: tuple[str, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    pods: tuple[tuple[PodName, Booking], ...] = ()
    """The bookings that Pods hold, with the namespace and name of each Pod."""


def read_inventory(documents: Iterable[Document], dialect: Dialect | None = None) -> Inventory:
    """The cluster of these documents, in any dialects; with `dialect` the kinds of other dialects are refused.

    The garbage collector is paused meanwhile: a fleet is a large tree without cycles.
    """
    with collector_paused(is_large=True):
        assembly = _Assembly()
        for entry in entries_of(documents):
            if dialect is not None and not dialect.takes(entry.kind):
                raise _foreign(entry, dialect)
            assembly.take(entry)
        return assembly.joined()


@dataclass(slots=True)
class _Assembly:
    """What has been read so far, before anything is joined: objects about one worker come in any order."""

    notes: Notes = field(default_factory=Notes)
    workers: dict[str, Worker] = field(default_factory=dict)
    sources: dict[str, Entry] = field(default_factory=dict)
    zones: dict[str, Zones] = field(default_factory=dict)
    caches: list[Cached] = field(default_factory=list)
    pods: list[BoundPod] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    bookings: list[Booking] = field(default_factory=list)
    budgets: list[Budget] = field(default_factory=list)
    live: list[LivePod] = field(default_factory=list)
    disruptions: list[DisruptionBudget] = field(default_factory=list)
    classes: list[PriorityClass] = field(default_factory=list)
    others: list[Entry] = field(default_factory=list)
    seldon: SeldonServers = field(default_factory=SeldonServers)
    servers: list[Server] = field(default_factory=list)
    serving_bookings: list[ServingBooking] = field(default_factory=list)
    unchecked: list[ServingBooking] = field(default_factory=list)

    def take(self, entry: Entry) -> None:
        """Read one object."""
        native = _read_native(entry) if entry.kind == CLUSTER else None  # its errors have their places already
        if entry.kind == PRIORITY_CLASS:
            self.classes.append(_read_class(entry))
            return
        if is_seldon(entry):
            self.seldon.take(entry, self.notes)
            return
        try:
            if native is None:
                self._take(entry)
            else:
                self._add_cluster(*native, entry)
        except InputError as error:
            raise entry.located(error) from None

    def _take(self, entry: Entry) -> None:
        if entry.kind == NODE:
            self._add(read_node(entry, self.notes), entry, "metadata.name")
        elif entry.kind == GPUSTACK_WORKER:
            self._add(read_gpustack_worker(entry, self.notes), entry, "name")
        elif entry.kind == TOPOLOGY:
            self._add_zones(read_zones(entry))
        elif entry.kind == MODEL and is_model(entry.data):
            self.caches.append(read_cached(entry, self.notes))
        elif entry.kind == POD:
            self._add_pod(entry)
        elif entry.kind == DISRUPTION_BUDGET:
            if budget := read_disruption_budget(entry, self.notes):
                self.disruptions.append(budget)
        elif entry.kind == GPUSTACK_INSTANCE:
            self.instances.append(read_instance(entry))
        else:
            self.others.append(entry)
            if not _is_used(entry):
                message = f"{entry.kind[:64]} objects do not describe capacity; they are ignored"
                self.notes.add(entry, "kind", message)

    def joined(self) -> Inventory:
        """The cluster, once every object has been read."""
        for name, zones in self.zones.items():
            if name in self.workers:
                self.workers[name] = joined(self.workers[name], zones, self.notes)
            else:
                message = f"the inventory has no node {name[:64]!r}; its zones are ignored"
                self.notes.add(zones.entry, "metadata.name", message, alike="no such node")
        for cached in self.caches:
            add_cached(cached, self.workers, self.notes)
        numbers = ReplicaNumbers((*self.bookings, *(pod.told for pod in self.pods if pod.told is not None)))
        pods = PodBookings(self.workers, self.notes, numbers)
        instances = InstanceBookings(self.workers, self.notes, numbers)
        for booking in self.bookings:
            pods.hold(booking)
        for instance in self.instances:
            self.bookings += instances.book(instance)
        owners = self._owners()
        classes = PriorityClasses.of(self.classes)
        bound = (self._prioritised(owners.bound(pod), classes) for pod in sorted(self.pods, key=_untold))
        held = [(pod_name(pod), made) for pod in bound if (made := pods.book(pod)) is not None]
        self.bookings += [made for _, made in held]
        self._give_back()
        live = map(owners.live, self.live) if self.disruptions else ()
        kept = budgets_of(self.disruptions, live, self.bookings, self.notes)
        self._note_unknown()
        servers = (*self.servers, *self.seldon.joined(self.notes))
        self._note_unlisted(servers)
        cluster = Cluster(
            tuple(self.workers.values()),
            tuple(self.bookings),
            strictest(self.budgets, kept),
            servers,
            tuple(self.serving_bookings),
        )
        return Inventory(cluster, self.notes.warnings, tuple(self.classes), tuple(held))

    def _owners(self) -> PodOwners:
        owners = PodOwners(self.notes)
        for entry in self.others:
            owners.add(entry)
        return owners

    def _prioritised(self, pod: BoundPod, classes: PriorityClasses) -> BoundPod:
        """The Pod with the priority of its class; Pods read from a cluster state the number themselves."""
        if not pod.priority_class:
            return pod
        found = classes.named.get(pod.priority_class)
        if found is None:
            message = f"PriorityClass {pod.priority_class[:64]!r} is not in the inventory; priority 0 counts"
            self.notes.add(pod.entry, "spec.priorityClassName", message, alike="no such class")
            return pod
        return replace(pod, priority=found.value)

    def _note_unknown(self) -> None:
        """One warning for all cards of Nodes whose model or memory is not known."""
        nodes = [self.workers[name] for name, entry in self.sources.items() if entry.kind == NODE]
        unknown = [
            sum(gpu.model is None or gpu.memory_mib is None for gpu in worker.gpus) for worker in nodes if worker.gpus
        ]
        if cards := sum(unknown):
            where = sum(count > 0 for count in unknown)
            self.notes.repeat(
                f"the model or the memory of {cards:,} card{'s' * (cards > 1)} on {where:,} worker{'s' * (where > 1)}"
                " is unknown, so requests that name a model or memory cannot use them; run the maker's feature"
                " discovery, or label the nodes with neuronetes.io/gpu-type and neuronetes.io/gpu-memory"
            )

    def _note_unlisted(self, servers: Sequence[Server]) -> None:
        """Warn of bookings on replicas that no document lists; documents with servers of their own did so already."""
        places = {(server.name, replica.index) for server in servers for replica in server.replicas}
        for booking in self.unchecked:
            if (booking.server, booking.replica) not in places:
                self.notes.repeat(
                    f"server {booking.server!r} has no connected replica {booking.replica}; the booking of"
                    f" {booking.key} there is ignored"
                )

    def _give_back(self) -> None:
        """Add what bookings hold to the zones, which report only what is available: bookings are subtracted later."""
        held = by_worker(self.bookings) if self.zones else {}
        for name in self.zones.keys() & held.keys() & self.workers.keys():
            self.workers[name] = given_back(self.workers[name], self.zones[name], held[name])

    def _add(self, worker: Worker, entry: Entry, path: str) -> None:
        earlier = self.sources.setdefault(worker.name, entry)
        if earlier is not entry:
            other = earlier.place("name" if earlier.kind == GPUSTACK_WORKER else "metadata.name")
            message = f"two workers are called {worker.name!r}, the other is at {other}"
            raise InputError(message, place=path, next="hand in each worker once")
        self.workers[worker.name] = worker

    def _add_pod(self, entry: Entry) -> None:
        if pod := read_pod(entry, self.notes):
            self.pods.append(pod)
        if live := read_live_pod(entry):
            self.live.append(live)

    def _add_zones(self, zones: Zones) -> None:
        if earlier := self.zones.get(zones.worker):
            other = earlier.entry.place("metadata.name")
            message = f"two objects describe the zones of {zones.worker!r}, the other is at {other}"
            raise InputError(message, place="metadata.name", next="hand in each once")
        self.zones[zones.worker] = zones

    def _add_cluster(self, cluster: Cluster, warnings: Iterable[str], entry: Entry) -> None:
        for warning in warnings:
            self.notes.repeat(warning)
        for number, worker in enumerate(cluster.workers):
            self._add(worker, entry, f"workers[{number}].name")
        self.bookings += cluster.bookings
        self.budgets += cluster.budgets
        self.servers += cluster.servers
        self.serving_bookings += cluster.serving_bookings
        self.unchecked += () if cluster.servers else cluster.serving_bookings


def _untold(pod: BoundPod) -> bool:
    """Pods whose cards are known come first: the others get what is left."""
    return pod.told is None


def pod_name(pod: BoundPod) -> PodName:
    """The namespace and name of the Pod itself."""
    metadata = pod.entry.data["metadata"]
    return namespace_of(metadata), str(metadata["name"])


def strictest(ours: Sequence[Budget], theirs: Iterable[Budget]) -> tuple[Budget, ...]:
    """Native budgets, then budgets of Kubernetes; where both are about one workload, the larger number counts."""
    found = {budget.key: budget for budget in theirs}
    numbers = {key: budget.min_available for key, budget in found.items()}
    own = [replace(each, min_available=max(each.min_available, numbers.get(each.key, 0))) for each in ours]
    for each in own:
        found.pop(each.key, None)
    return (*own, *found.values())


def _read_native(entry: Entry) -> tuple[Cluster, tuple[str, ...]]:
    """A Cluster of our own and its warnings; it may be one item of a list."""
    return read_whole(collect_cluster, entry.document, entry.data, entry.steps)


def _read_class(entry: Entry) -> PriorityClass:
    return read_whole(collect_priority_class, entry.document, entry.data, entry.steps)[0]


def _is_used(entry: Entry) -> bool:
    """Whether the object is a controller, which tells whose replicas Pods are."""
    return (api_group(entry.data.get("apiVersion")), entry.kind) in _CONTROLLERS


def _foreign(entry: Entry, dialect: Dialect) -> InputError:
    message = f"a {entry.kind[:64]} is none of {', '.join(sorted(dialect.kinds))}"
    return InputError(message, place=entry.place(), next="see bayplan inventory --help for the other kinds")
