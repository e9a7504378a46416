"""What one replica asks for, in the fields that a workload and each of its roles may have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayplan.cluster.device_offer import Sharing
from bayplan.cluster.gpu import GpuId
from bayplan.cluster.workload import Backend, Container, CostLimit, DryRun, GpuRequest, Locality
from bayplan.framework.errors import InputError
from bayplan.manifests.fields import present
from bayplan.manifests.native.booking import read_resources
from bayplan.manifests.native.labels import read_tolerations, read_worker_selector
from bayplan.manifests.native.model import read_model
from bayplan.manifests.values import (
    asked_compute_milli,
    bandwidth_gb_per_s,
    claim_cpu_milli,
    claim_mib,
    count,
    flag,
    money,
    name,
    number,
    one_of,
    part_of_card,
    percent,
    positive,
    text,
)
from bayplan.sizing.engine import engine_name, read_engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from bayplan.manifests.fields import Fields

_locality = one_of(Locality)
_sharing = one_of(Sharing)


def read_shape(fields: Fields) -> dict[str, Any]:
    """The fields of a Shape that are given here; for absent ones the caller has the defaults."""
    found = {}
    for key, (field, read) in _SHAPE.items():
        if key in fields:
            found[field] = read(fields)
        else:
            fields.ignore(key)
    return found


def gpu_id(value: object) -> GpuId:
    """`WORKER:RUNTIME:INDEX`."""
    return GpuId.parse(value, "")


def read_gpus(shape: Fields) -> GpuRequest | None:
    """The cards of one replica."""
    fields = shape.child("gpus")
    request = fields.build(
        GpuRequest,
        count=fields.read("count", _card_count),
        models=fields.each("models", name),
        memory_mib=fields.read("memory", claim_mib),
        card_memory_mib=fields.read("cardMemory", claim_mib),
        compute_milli=fields.read("computePercent", asked_compute_milli),
        mig=fields.read("mig", name),
        locality=fields.read("locality", _locality),
        min_bandwidth_gb_per_s=fields.read("minBandwidth", bandwidth_gb_per_s),
        runtime=fields.read("runtime", name),
        fraction=fields.read("fraction", part_of_card),
        resource=fields.read("resource", name),
        per_container=fields.read("perContainer", count, 0),
        sharing=fields.read("sharing", _sharing),
        unit=fields.read("unit", text, ""),
    )
    fields.finish()
    if request is not None and request.mig is not None:
        _refuse_shares(fields, request)
    return request


def _refuse_shares(fields: Fields, request: GpuRequest) -> None:
    """Refuse a share beside a MIG profile: an instance has the size of its profile, and the share would be ignored."""
    problem, leave = f"is a share of a card, and {request.mig} an instance", "leave one of the two out"
    if request.memory_mib is not None:
        fields.add(f"{request.memory_mib} MiB {problem}", "memory", next=leave)
    if request.compute_milli is not None:
        fields.add(f"{request.compute_milli / 10:g} % {problem}", "computePercent", next=leave)


def _card_count(value: object) -> int:
    if (cards := count(value)) == 0:
        raise InputError("0 cards are not a request", next="leave gpus out for work without cards, or write 1 or more")
    return cards


def read_backend(shape: Fields) -> Backend | None:
    """The engine and its flags; flags about cards and memory are checked here, so that errors have a line."""
    fields = shape.child("backend")
    engine = fields.need("name", backend_name, "custom")
    version = fields.read("version", text)
    args = fields.each("args", text)
    check_run(fields)
    fields.finish()
    return None if fields.broken() else shape.attempt(lambda: checked_backend(engine, args, version))


def check_run(backend: Fields) -> None:
    """How a backend is started: no plan needs that, and whatever runs the Pods does."""
    backend.each("command", text)
    backend.read("image", name)
    backend.mapping("env", text)
    backend.leave_to_runtime(("command", "image", "env"))


def backend_name(value: object) -> str:
    """The backend by the name that we use for it."""
    try:
        return engine_name(name(value))
    except InputError as error:
        raise InputError(error.message, next=error.next) from None


def checked_backend(engine: str, args: tuple[str, ...], version: str | None = None) -> Backend:
    """A backend whose flags can be read."""
    backend = Backend(engine, args, version)
    read_engine(backend)
    return backend


def _dry_run(shape: Fields) -> tuple[DryRun, ...]:
    return present(_trial(model, fields) for model, fields in shape.named("dryRun"))


def _trial(model: str, fields: Fields) -> DryRun | None:
    found = fields.build(
        DryRun,
        model=model,
        gpu_percent=fields.read("gpuPercent", percent),
        memory_mib=fields.read("memory", claim_mib),
    )
    fields.finish()
    return found


def _cost(shape: Fields) -> CostLimit | None:
    fields = shape.child("cost")
    limit = fields.build(
        CostLimit,
        max_usd_per_hour=fields.read("maxUsdPerHour", money),
        spot=fields.read("spot", flag),
        max_spot_percent=fields.read("maxSpotPercent", percent),
    )
    fields.finish()
    return limit


def _containers(shape: Fields) -> tuple[Container, ...]:
    """The containers of a Pod, which NUMA zones take one by one."""
    return present(_container(each) for each in shape.children("containers"))


def _container(fields: Fields) -> Container | None:
    found = fields.build(
        Container,
        cpu_milli=fields.read("cpu", claim_cpu_milli, 0),
        ram_mib=fields.read("ram", claim_mib, 0),
        cards=fields.read("cards", count, 0),
        cpu_limit_milli=fields.read("cpuLimit", claim_cpu_milli),
    )
    fields.finish()
    return found


def _one(key: str, parse: Callable[[object], Any]) -> Callable[[Fields], Any]:
    return lambda fields: fields.read(key, parse)


def _several(key: str, parse: Callable[[object], Any]) -> Callable[[Fields], Any]:
    return lambda fields: fields.each(key, parse)


_SHAPE: dict[str, tuple[str, Callable[[Fields], Any]]] = {
    "model": ("model", read_model),
    "backend": ("backend", read_backend),
    "gpus": ("gpus", read_gpus),
    "cpu": ("cpu_milli", _one("cpu", claim_cpu_milli)),
    "ram": ("ram_mib", _one("ram", claim_mib)),
    "resources": ("resources", read_resources),
    "dryRun": ("dry_run", _dry_run),
    "selector": ("selector", read_worker_selector),
    "tolerations": ("tolerations", read_tolerations),
    "gpuIds": ("gpu_ids", _several("gpuIds", gpu_id)),
    "distributed": ("distributed", _one("distributed", flag)),
    "cpuOffload": ("cpu_offload", _one("cpuOffload", flag)),
    "allowOvercommit": ("allow_overcommit", _one("allowOvercommit", flag)),
    "strategy": ("strategy", _one("strategy", name)),
    "antiAffinity": ("anti_affinity", _several("antiAffinity", name)),
    "near": ("near", _several("near", name)),
    "cost": ("cost", _cost),
    "regions": ("regions", _several("regions", name)),
    "maxCarbonGramsPerKwh": ("max_carbon_g_per_kwh", _one("maxCarbonGramsPerKwh", number)),
    "maxWorkersToScore": ("max_workers_to_score", _one("maxWorkersToScore", positive)),
    "preferredRegions": ("preferred_regions", _several("preferredRegions", name)),
    "weights": ("weights", lambda fields: tuple(fields.mapping("weights", number).items())),
    "containers": ("containers", _containers),
    "guaranteed": ("guaranteed", _one("guaranteed", flag)),
    "unknown": ("unknown", _one("unknown", text)),
}
