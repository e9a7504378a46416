"""A cluster as a native document with sizes as numbers; reading it gives an equal cluster."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from bayplan.cluster.device_offer import GPU_RESOURCE, Sharing
from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.cluster.links import Wiring, wire
from bayplan.cluster.worker import uid_of
from bayplan.manifests.collector import collector_paused
from bayplan.manifests.native.measurements import PERCENTS
from bayplan.manifests.native.server_writer import write_server, write_serving_booking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.cluster.booking import Booking, Budget, CardBooking
    from bayplan.cluster.cluster import Cluster
    from bayplan.cluster.gpu import Gpu
    from bayplan.cluster.links import LinkMatrix
    from bayplan.cluster.mig import MigInstance, MigState
    from bayplan.cluster.numa import Numa, NumaZone
    from bayplan.cluster.taint import Taint
    from bayplan.cluster.utilization import GpuUtilization, Utilization
    from bayplan.cluster.worker import Worker

API_VERSION = "bayplan.io/v1alpha1"
KIND = "Cluster"


def write_cluster(cluster: Cluster) -> dict[str, Any]:
    """The document: memory in MiB, CPU in cores; unknown values and defaults are left out."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "workers": _workers(cluster.workers),
        **({"servers": [write_server(server) for server in cluster.servers]} if cluster.servers else {}),
        "bookings": [
            *(write_booking(booking) for booking in cluster.bookings),
            *(write_serving_booking(booking) for booking in cluster.serving_bookings),
        ],
        "budgets": [write_budget(budget) for budget in cluster.budgets],
    }


def _workers(workers: Sequence[Worker]) -> list[dict[str, Any]]:
    """All workers; cards and links that several workers share are written once and reused."""
    known: dict[tuple[int, int], Any] = {}
    written = []
    with collector_paused(is_large=True):
        for worker in workers:
            kind = (id(worker.gpus), id(worker.links))
            if kind not in known:
                known[kind] = _wired(worker)
            written.append(write_worker(worker, known[kind]))
    return written


def _wired(worker: Worker) -> str | list[list[Any]] | None:
    return None if worker.links is None else _links(worker.links, worker.gpus)


def write_worker(worker: Worker, links: Any = None) -> dict[str, Any]:
    """One worker; its status is always written. `links` are its links in written form, where they are known already."""
    place = worker.topology
    load = {} if worker.utilization is None else {"utilization": _utilization(worker.utilization)}
    reserved = {"ram": worker.reserved_ram_mib or None, "gpuMemory": worker.reserved_gpu_memory_mib or None}
    return (
        said(
            name=worker.name,
            uid=worker.uid if worker.uid != uid_of(worker.name) else None,
            status=worker.status.value,
            labels=worker.labels.copy(),
            taints=[_taint(taint) for taint in worker.taints],
            region=place.region,
            zone=place.zone,
            block=place.block,
            rack=place.rack,
            nvlinkDomain=place.nvlink_domain,
            cpu=cores(worker.cpu_milli),
            ram=worker.ram_mib,
            gpus=[_gpu(gpu) for gpu in worker.gpus],
            links=links or _wired(worker),
            migSlices=dict(worker.mig_slices),
            resources=dict(worker.resources),
            **_devices(worker),
            usdPerHour=worker.usd_per_hour,
            spot=worker.spot or None,
            powerWatts=worker.power_watts,
            carbonGramsPerKwh=worker.carbon_g_per_kwh,
            cachedModels=dict(worker.cached_models),
            services=list(worker.services),
            reserved=said(**reserved),
            numa=None if worker.numa is None else _numa(worker.numa),
        )
        | load
    )


def _devices(worker: Worker) -> dict[str, Any]:
    """The device offers of Kubernetes that differ from the default."""
    usual = 1 if worker.sharing is Sharing.MPS else None
    return {
        "migStrategy": worker.mig_strategy and worker.mig_strategy.value,
        "sharing": worker.sharing and worker.sharing.value,
        "placesPerContainer": None if worker.places_per_container == usual else worker.places_per_container,
        "gpuResource": None if worker.gpu_resource == GPU_RESOURCE else worker.gpu_resource,
    }


def write_booking(booking: Booking) -> dict[str, Any]:
    """What one replica holds on one worker."""
    return {"workload": booking.workload, "replica": booking.replica, "worker": booking.worker} | said(
        namespace=_namespace(booking.namespace),
        cpu=cores(booking.cpu_milli) or None,
        ram=booking.ram_mib or None,
        resources=dict(booking.resources),
        gpus=[_card_booking(card) for card in booking.cards],
        priority=booking.priority or None,
        gang=booking.gang,
        role=booking.role or None,
    )


def write_budget(budget: Budget) -> dict[str, Any]:
    """How many replicas of a workload must stay."""
    namespace = _namespace(budget.namespace)
    return said(workload=budget.workload, namespace=namespace, minAvailable=budget.min_available)


def _namespace(name: str) -> str | None:
    return None if name == DEFAULT_NAMESPACE else name


def said(**fields: Any) -> dict[str, Any]:
    """The fields that are neither None nor empty."""
    return {key: value for key, value in fields.items() if value is not None and value not in ([], {})}


def cores(cpu_milli: int | None) -> int | float | None:
    """CPU in cores, whole where possible."""
    if cpu_milli is None:
        return None
    return cpu_milli / 1000 if cpu_milli % 1000 else cpu_milli // 1000


def _taint(taint: Taint) -> dict[str, Any]:
    return said(key=taint.key, value=taint.value or None, effect=taint.effect.value)


def _gpu(gpu: Gpu) -> dict[str, Any]:
    return said(
        runtime=gpu.runtime,
        index=gpu.index,
        uuid=gpu.uuid,
        model=gpu.model,
        memory=gpu.memory_mib,
        numa=gpu.numa,
        pcieGen=gpu.pcie_gen,
        health=None if gpu.healthy else "unhealthy",
        observedUsed=gpu.observed_used_mib,
        mig=None if gpu.mig is None else _mig(gpu.mig),
        places=gpu.places,
    )


def _mig(state: MigState) -> dict[str, Any]:
    return {
        "enabled": state.enabled,
        "reconfigurable": state.reconfigurable,
        "slices": [_instance(each) for each in state.slices],
    }


def _instance(instance: MigInstance) -> dict[str, Any]:
    return said(profile=instance.profile, start=instance.start)


def _card_booking(card: CardBooking) -> dict[str, Any]:
    return said(
        runtime=card.runtime,
        index=card.index,
        memory=card.memory_mib,
        computePercent=card.compute_percent,
        mig=None if card.mig is None else _instance(card.mig),
        headroom=card.headroom_mib or None,
        places=card.places,
    )


def _links(links: LinkMatrix, gpus: Sequence[Gpu]) -> str | list[list[Any]]:
    """The links in a short form where there is one, else every pair."""
    for wiring in Wiring:
        if wire(wiring, gpus) == links:
            return wiring.value
    indices = [card.index for card in links.cards]
    ends = indices if len(set(indices)) == len(indices) else [str(card) for card in links.cards]
    pairs = zip(combinations(ends, 2), links.links, strict=True)
    return [[first, second, link.kind, link.bandwidth_gb_per_s] for (first, second), link in pairs]


def _numa(numa: Numa) -> dict[str, Any]:
    return {"policy": numa.policy, "scope": numa.scope, "zones": [_zone(zone) for zone in numa.zones]}


def _zone(zone: NumaZone) -> dict[str, Any]:
    distances = {str(other): distance for other, distance in zone.distances.items()}
    return said(id=zone.id, cpu=cores(zone.cpu_milli), ram=zone.ram_mib, distances=distances)


def _utilization(measured: Utilization) -> dict[str, Any]:
    return said(
        ageSeconds=measured.age_s, **_percents(measured), gpus=[_card_utilization(gpu) for gpu in measured.gpus]
    )


def _card_utilization(gpu: GpuUtilization) -> dict[str, Any]:
    return said(
        runtime=gpu.runtime,
        index=gpu.index,
        **_percents(gpu),
        cyclic=gpu.cyclic,
        period=gpu.period_s,
        jobType=gpu.job_type,
    )


def _percents(measured: Utilization | GpuUtilization) -> dict[str, float | None]:
    return {key: getattr(measured, field, None) for key, field in PERCENTS.items()}
