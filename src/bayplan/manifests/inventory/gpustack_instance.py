"""Model instances from GPUStack's API: what each holds on which worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.cluster.booking import Booking, CardBooking
from bayplan.cluster.identity import DEFAULT_NAMESPACE, WorkloadKey
from bayplan.cluster.quantities import parse_count
from bayplan.manifests.inventory.amounts import bytes_claimed
from bayplan.manifests.inventory.entry import listed, mapping, mappings, name_of, text

if TYPE_CHECKING:
    from bayplan.cluster.worker import Worker
    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes
    from bayplan.manifests.inventory.replica_numbers import ReplicaNumbers


@dataclass(frozen=True, slots=True)
class Holding:
    """What an instance holds on one worker: MiB by card, None for a whole one."""

    worker: str
    runtime: str
    ram_mib: int
    cards: tuple[tuple[int, int | None], ...]
    place: str


@dataclass(frozen=True, slots=True)
class Instance:
    """A model instance with all its workers, the main worker first."""

    entry: Entry
    model: str
    holdings: tuple[Holding, ...]


def looks_like_instance(data: dict[str, Any]) -> bool:
    """Whether an object without a kind is a model instance of GPUStack."""
    return "model_name" in data and ("worker_name" in data or "computed_resource_claim" in data)


def read_instance(entry: Entry) -> Instance:
    """The instance of `GET /v2/model-instances`; one without a worker holds nothing."""
    holdings = [_holding(entry.data, "")]
    servers = mapping(entry.data, "distributed_servers", "distributed_servers")
    place = "distributed_servers.subordinate_workers"
    for number, worker in enumerate(mappings(servers, "subordinate_workers", place)):
        holdings.append(_holding(worker, f"{place}[{number}]."))
    name = name_of(entry.data, "model_name", "model_name")
    return Instance(entry, name, tuple(each for each in holdings if each.worker))


class InstanceBookings:
    """Makes bookings of instances; the instances of one model are its replicas, in order."""

    def __init__(self, workers: dict[str, Worker], notes: Notes, numbers: ReplicaNumbers) -> None:
        self._workers, self._notes, self._numbers = workers, notes, numbers

    def book(self, instance: Instance) -> list[Booking]:
        """One booking per worker of the instance."""
        if not instance.holdings:
            return []
        replica = self._numbers.take(WorkloadKey(DEFAULT_NAMESPACE, instance.model))
        made = (self._booking(instance, replica, each) for each in instance.holdings)
        return [booking for booking in made if booking is not None]

    def _booking(self, instance: Instance, replica: int, holding: Holding) -> Booking | None:
        worker = self._workers.get(holding.worker)
        if worker is None:
            message = f"the inventory has no worker {holding.worker[:64]!r}; what the instance holds there is left out"
            self._notes.add(instance.entry, f"{holding.place}worker_name", message, alike="no such worker")
            return None
        runtime = holding.runtime or next((gpu.runtime for gpu in worker.gpus), "cuda")
        own = {gpu.index for gpu in worker.gpus if gpu.runtime == runtime}
        if missing := [index for index, _ in holding.cards if index not in own]:
            message = f"the worker has no {runtime} card {missing[0]}; what is held there is left out"
            self._notes.add(instance.entry, f"{holding.place}gpu_indexes", message, alike="no such card")
        cards = tuple(CardBooking(index, runtime, mib) for index, mib in holding.cards if index in own)
        return Booking(instance.model, replica, worker.name, ram_mib=holding.ram_mib, cards=cards)


def _holding(data: dict[str, Any], prefix: str) -> Holding:
    claim = mapping(data, "computed_resource_claim", f"{prefix}computed_resource_claim")
    place = f"{prefix}computed_resource_claim"
    vram = mapping(claim, "vram", f"{place}.vram")
    held: dict[int, int | None] = {
        parse_count(index, f"{prefix}gpu_indexes[{number}]"): None
        for number, index in enumerate(listed(data, "gpu_indexes", f"{prefix}gpu_indexes"))
    }
    for index, amount in vram.items():
        held[parse_count(index, f"{place}.vram")] = bytes_claimed(amount, f"{place}.vram.{index}")
    return Holding(
        text(data, "worker_name", f"{prefix}worker_name"),
        text(data, "gpu_type", f"{prefix}gpu_type").lower(),
        bytes_claimed(claim.get("ram") or 0, f"{place}.ram"),
        tuple(held.items()),
        prefix,
    )
