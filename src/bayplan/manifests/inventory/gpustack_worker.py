"""A worker from GPUStack's API, which counts sizes in bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from bayplan.cluster.frozen_map import EMPTY, FrozenMap
from bayplan.cluster.gpu import Gpu
from bayplan.cluster.quantities import parse_count, parse_percent
from bayplan.cluster.utilization import GpuUtilization, Utilization
from bayplan.cluster.worker import Worker, WorkerStatus
from bayplan.framework.errors import InputError
from bayplan.manifests.inventory.amounts import MAX_CARDS, bytes_claimed, bytes_offered, cpu_offered
from bayplan.manifests.inventory.entry import flag, mapping, mappings, name_of, text, texts
from bayplan.manifests.inventory.labels import is_spot, topology_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.inventory.entry import Entry
    from bayplan.manifests.inventory.notes import Notes

T = TypeVar("T")

VENDOR_RUNTIMES = {
    "nvidia": "cuda",
    "amd": "rocm",
    "ascend": "cann",
    "huawei": "cann",
    "mthreads": "musa",
    "moore threads": "musa",
    "cambricon": "neuware",
    "hygon": "dtk",
    "iluvatar": "corex",
    "metax": "maca",
    "apple": "mps",
}
"""The runtime of a vendor, for devices that name no runtime (`type`)."""

_MAINTENANCE = "maintenance"


def looks_like_worker(data: dict[str, Any]) -> bool:
    """Whether an object without a kind is a worker of GPUStack."""
    status = data.get("status")
    return "worker_uuid" in data or (isinstance(status, dict) and "gpu_devices" in status)


def read_gpustack_worker(entry: Entry, notes: Notes) -> Worker:
    """The worker that an item of `GET /v2/workers` describes."""
    data = entry.data
    status = mapping(data, "status", "status")
    cpu, memory = mapping(status, "cpu", "status.cpu"), mapping(status, "memory", "status.memory")
    reserved = mapping(data, "system_reserved", "system_reserved")
    labels = texts(data, "labels", "labels")
    devices = mappings(status, "gpu_devices", "status.gpu_devices")
    if len(devices) > MAX_CARDS:
        message = f"{len(devices):,} devices on one worker, and at most {MAX_CARDS:,} are read"
        raise InputError(message, place="status.gpu_devices", next="check the list")
    devices = _with_memory(devices, entry, notes)
    gpus = tuple(_gpu(device, number) for number, device in enumerate(devices))
    if any(mapping(device, "memory", "memory").get("is_unified_memory") for device in devices):
        message = "cards and host share one memory; it is counted once for the cards and once for the host"
        notes.add(entry, "status.gpu_devices", message)
    return Worker(
        name_of(data, "name"),
        status=_status(data),
        labels=FrozenMap(labels) if labels else EMPTY,
        topology=topology_of(labels),
        cpu_milli=_known(cpu.get("total"), cpu_offered, "status.cpu.total") or None,
        ram_mib=_known(memory.get("total"), bytes_offered, "status.memory.total") or None,
        gpus=gpus,
        spot=is_spot(labels),
        reserved_ram_mib=_reserved(reserved, "ram", "memory"),
        reserved_gpu_memory_mib=_reserved(reserved, "vram", "gpu_memory"),
        utilization=_utilization(cpu, memory, devices, gpus),
    )


def _with_memory(devices: list[dict[str, Any]], entry: Entry, notes: Notes) -> list[dict[str, Any]]:
    """The devices without display adapters, which report a memory of 0 and run no model."""
    kept = []
    for number, device in enumerate(devices):
        memory = mapping(device, "memory", f"status.gpu_devices[{number}].memory").get("total")
        if memory in (0, "0"):
            message = f"{str(device.get('name'))[:64]!r} has no memory of its own; the device is left out"
            notes.add(entry, f"status.gpu_devices[{number}].memory.total", message, alike="no memory")
        else:
            kept.append(device)
    return kept


def _reserved(reserved: dict[str, Any], *names: str) -> int:
    """MiB under the first of these names that is present: older versions use other names."""
    found = (_known(reserved.get(name), bytes_claimed, f"system_reserved.{name}") for name in names)
    return next((amount for amount in found if amount is not None), 0)


def _status(data: dict[str, Any]) -> WorkerStatus:
    state = text(data, "state", "state").casefold()
    maintenance = mapping(data, "maintenance", "maintenance")
    if state == _MAINTENANCE or flag(maintenance, "enabled", "maintenance.enabled"):
        return WorkerStatus.CORDONED
    return WorkerStatus.READY if state == "ready" else WorkerStatus.NOT_READY


def _gpu(device: dict[str, Any], number: int) -> Gpu:
    place = f"status.gpu_devices[{number}]"
    memory = mapping(device, "memory", f"{place}.memory")
    index = device.get("index")
    return Gpu(
        number if index is None else parse_count(index, f"{place}.index"),
        _runtime(device, place),
        uuid=text(device, "uuid", f"{place}.uuid") or None,
        model=text(device, "name", f"{place}.name") or None,
        memory_mib=_known(memory.get("total"), bytes_offered, f"{place}.memory.total") or None,
        observed_used_mib=_in_use(memory, f"{place}.memory"),
    )


def _runtime(device: dict[str, Any], place: str) -> str:
    runtime = text(device, "type", f"{place}.type")
    vendor = text(device, "vendor", f"{place}.vendor").casefold()
    return runtime.lower() or VENDOR_RUNTIMES.get(vendor, vendor or "cuda")


def _in_use(memory: dict[str, Any], place: str) -> int | None:
    """Memory in use: what was observed or what instances were given, whichever is more, because a model may still load.

    Bookings of these instances are part of it, so that nothing is counted twice.
    """
    amounts = [_known(memory.get(key), bytes_claimed, f"{place}.{key}") for key in ("used", "allocated")]
    return max((amount for amount in amounts if amount is not None), default=None)


def _utilization(
    cpu: dict[str, Any], memory: dict[str, Any], devices: list[dict[str, Any]], gpus: tuple[Gpu, ...]
) -> Utilization | None:
    """The measured load. The API gives the time of the measurement but not the current time, so its age is unknown."""
    cpu_percent = _known(cpu.get("utilization_rate"), parse_percent, "status.cpu.utilization_rate")
    ram_percent = _known(memory.get("utilization_rate"), parse_percent, "status.memory.utilization_rate")
    measured = tuple(
        each
        for number, (device, gpu) in enumerate(zip(devices, gpus, strict=True))
        if (each := _card_utilization(device, gpu, f"status.gpu_devices[{number}]")) is not None
    )
    if cpu_percent is None and ram_percent is None and not measured:
        return None
    return Utilization(cpu_percent=cpu_percent, ram_percent=ram_percent, gpus=measured)


def _card_utilization(device: dict[str, Any], gpu: Gpu, place: str) -> GpuUtilization | None:
    core, memory = mapping(device, "core", f"{place}.core"), mapping(device, "memory", f"{place}.memory")
    busy = _known(core.get("utilization_rate"), parse_percent, f"{place}.core.utilization_rate")
    filled = _known(memory.get("utilization_rate"), parse_percent, f"{place}.memory.utilization_rate")
    if busy is None and filled is None:
        return None
    return GpuUtilization(gpu.index, gpu.runtime, gpu_percent=busy, memory_percent=filled)


def _known(value: object, read: Callable[[object, str], T], place: str) -> T | None:
    return None if value is None else read(value, place)
