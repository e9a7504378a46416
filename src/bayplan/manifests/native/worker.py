"""A worker of a Cluster document, or several equal ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bayplan.cluster.device_offer import GPU_RESOURCE, MigStrategy, Sharing
from bayplan.cluster.frozen_map import EMPTY, NO_AMOUNTS, FrozenMap
from bayplan.cluster.topology import TopologyPath
from bayplan.cluster.worker import NO_RATES, NO_SLICES, Worker, WorkerStatus
from bayplan.framework.errors import InputError
from bayplan.manifests.native.booking import read_amounts
from bayplan.manifests.native.labels import read_taints
from bayplan.manifests.native.measurements import read_numa, read_utilization
from bayplan.manifests.native.wiring import read_links
from bayplan.manifests.values import (
    capacity_cpu_milli,
    capacity_mib,
    claim_mib,
    count,
    flag,
    money,
    name,
    number,
    offered_of,
    one_of,
    rate,
    text,
    what,
)

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.native.cards import Shelf

MIG_CONFIG = "neuronetes.io/mig-config"

_status = one_of(WorkerStatus)
_strategy, _sharing = one_of(MigStrategy), one_of(Sharing)
_DOMAINS = {"region": "region", "zone": "zone", "block": "block", "rack": "rack", "nvlink_domain": "nvlinkDomain"}


def read_worker(fields: Fields, shelf: Shelf) -> list[Worker]:
    """One worker, or `count` workers called NAME-0, NAME-1 …, which share their cards and labels.

    The shelf holds the cards of earlier workers of the same document.
    """
    own_name = fields.need("name", name, "?")
    copies = fields.read("count", count)
    gpus = shelf.read(fields)
    labels = FrozenMap(fields.labels("labels")) if "labels" in fields else EMPTY
    values: dict[str, Any] = {
        "status": fields.read("status", _status, WorkerStatus.READY),
        "labels": labels,
        "taints": read_taints(fields),
        "topology": TopologyPath(**{field: fields.read(key, name) for field, key in _DOMAINS.items()}),
        "cpu_milli": fields.read("cpu", capacity_cpu_milli),
        "ram_mib": fields.read("ram", capacity_mib),
        "gpus": gpus,
        "links": None if fields.broken("gpus") else read_links(fields, gpus),
        "mig_slices": _mig_slices(fields, labels),
        "usd_per_hour": fields.read("usdPerHour", money),
        "spot": fields.read("spot", flag, False),
        "power_watts": fields.read("powerWatts", number),
        "carbon_g_per_kwh": fields.read("carbonGramsPerKwh", number),
        "cached_models": _cached_models(fields),
        "services": fields.each("services", name),
        "numa": read_numa(fields),
        "resources": read_amounts(fields, "resources", offered_of) if "resources" in fields else NO_AMOUNTS,
        "utilization": read_utilization(fields),
        **_devices(fields),
        **_reserved(fields),
    }
    fields.ignore("labels", "links", "resources")
    uid = fields.read("uid", text, "")
    fields.finish()
    if copies is None:
        worker = fields.build(Worker, name=own_name, uid=uid, **values)
        return [worker] if worker is not None else []
    made = (fields.build(Worker, name=f"{own_name}-{number}", **values) for number in range(copies))
    return [worker for worker in made if worker is not None]


def _devices(worker: Fields) -> dict[str, Any]:
    """The device offers of Kubernetes by resource name; under MPS a container gets at most one place."""
    sharing = worker.read("sharing", _sharing)
    return {
        "mig_strategy": worker.read("migStrategy", _strategy),
        "sharing": sharing,
        "places_per_container": worker.read("placesPerContainer", count, 1 if sharing is Sharing.MPS else None),
        "gpu_resource": worker.read("gpuResource", name, GPU_RESOURCE),
    }


def _reserved(worker: Fields) -> dict[str, int]:
    if "reserved" not in worker:
        worker.ignore("reserved")
        return {}
    fields = worker.child("reserved")
    kept = {
        "reserved_ram_mib": fields.read("ram", claim_mib, 0),
        "reserved_gpu_memory_mib": fields.read("gpuMemory", claim_mib, 0),
    }
    fields.finish()
    return kept


def _cached_models(worker: Fields) -> FrozenMap[str, float | None]:
    """Hit rates by model name; in a list of names the rates are unknown."""
    value = worker.raw("cachedModels")
    if value is None:
        return NO_RATES
    if isinstance(value, Mapping):
        return FrozenMap(worker.mapping("cachedModels", _hit_rate))
    return FrozenMap(dict.fromkeys(worker.each("cachedModels", name)))


def _hit_rate(value: object) -> float | None:
    return None if value is None else rate(value)


def _mig_slices(worker: Fields, labels: Mapping[str, str]) -> FrozenMap[str, int]:
    """MIG slices of unknown cards, as a mapping, or in one text as in the label of the NeuroNetes guide."""
    if "migSlices" in worker:
        return FrozenMap(worker.mapping("migSlices", count))
    worker.ignore("migSlices")
    if MIG_CONFIG not in labels:
        return NO_SLICES
    try:
        return FrozenMap(parse_mig_config(labels[MIG_CONFIG]))
    except InputError as error:
        worker.add(error.message, "labels", MIG_CONFIG, next=error.next)
        return NO_SLICES


def parse_mig_config(value: str) -> dict[str, int]:
    """`1g.5gb:7,2g.10gb:3` as numbers by profile."""
    slices: dict[str, int] = {}
    for part in filter(None, (each.strip() for each in value.split(","))):
        profile, colon, instances = part.partition(":")
        if not colon or not profile:
            raise InputError(f"{what(part)} is no number of slices", next="write 1g.5gb:7,2g.10gb:3")
        slices[profile.strip()] = slices.get(profile.strip(), 0) + count(instances)
    return slices
