"""A workload as a native document with sizes as numbers; reading it gives an equal workload."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from bayplan.cluster.identity import DEFAULT_NAMESPACE
from bayplan.cluster.model import UNKNOWN_ARCHITECTURE
from bayplan.cluster.workload import ANYTHING, ANYWHERE, NO_LIMIT, Preemption
from bayplan.manifests.native.cluster_writer import API_VERSION, cores, said
from bayplan.manifests.native.model import ARCHITECTURE, REST

if TYPE_CHECKING:
    from fractions import Fraction

    from bayplan.cluster.gang import Gang, MinResources
    from bayplan.cluster.model import ModelPart, ModelSpec
    from bayplan.cluster.selector import Requirement, Selector
    from bayplan.cluster.taint import Toleration
    from bayplan.cluster.workload import Backend, Container, CostLimit, GpuRequest, Role, Shape, Workload, WorkloadId

KIND = "Workload"


def write_workload(workload: Workload) -> dict[str, Any]:
    """The document: memory in MiB, CPU in cores; unknown values and defaults are left out."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": _metadata(workload.id),
        "spec": _spec(workload),
    }


def _metadata(identity: WorkloadId) -> dict[str, Any]:
    created = identity.created_s
    return said(
        name=identity.name,
        namespace=None if identity.namespace == DEFAULT_NAMESPACE else identity.namespace,
        uid=identity.uid or None,
        creationTimestamp=None if created is None else datetime.fromtimestamp(created, UTC).isoformat(),
    )


def _spec(workload: Workload) -> dict[str, Any]:
    """Roles have all their fields themselves: what stands beside them would count for each of them."""
    own = workload.shape
    of_workload = said(
        replicas=None if workload.roles else workload.replicas,
        priority=workload.id.priority or None,
        preemption=_preemption(workload.preemption),
        spreadOver=workload.spread_over and workload.spread_over.value,
    )
    gang = {} if workload.gang is None else {"gang": _gang(workload.gang)}
    if not workload.roles:
        return of_workload | gang | _shape(own, ANYTHING.strategy)
    strategy = said(strategy=_strategy(own, ANYTHING.strategy))
    return of_workload | gang | strategy | {"roles": [_role(role, own.strategy) for role in workload.roles]}


def _role(role: Role, strategy: str) -> dict[str, Any]:
    return said(
        name=role.name,
        replicas=None if role.replicas == 1 else role.replicas,
        priority=role.priority,
        preemption=role.preemption and role.preemption.value,
        pod=role.is_pod or None,
    ) | _shape(role.shape, strategy)


def _preemption(preemption: Preemption) -> str | None:
    return None if preemption is Preemption.NEVER else preemption.value


def _gang(gang: Gang) -> dict[str, Any]:
    least = gang.min_resources
    return said(
        minimum=gang.minimum,
        within=gang.within and gang.within.value,
        minResources=None if least is None else _min_resources(least),
        declared=None if gang.declared else False,
    )


def _min_resources(least: MinResources) -> dict[str, Any]:
    return said(cpu=cores(least.cpu_milli) or None, ram=least.ram_mib or None, cards=least.cards or None)


def _shape(shape: Shape, strategy: str) -> dict[str, Any]:
    gpus = {} if shape.gpus is None else {"gpus": _gpus(shape.gpus)}  # an empty request is not the same as none
    return gpus | said(
        model=None if shape.model is None else _model(shape.model),
        backend=None if shape.backend is None else _backend(shape.backend),
        cpu=cores(shape.cpu_milli),
        ram=shape.ram_mib,
        resources=dict(shape.resources),
        dryRun={each.model: said(gpuPercent=each.gpu_percent, memory=each.memory_mib) for each in shape.dry_run},
        selector=None if shape.selector == ANYWHERE else _selector(shape.selector),
        tolerations=[_toleration(each) for each in shape.tolerations],
        gpuIds=[str(each) for each in shape.gpu_ids],
        distributed=shape.distributed or None,
        cpuOffload=shape.cpu_offload or None,
        allowOvercommit=shape.allow_overcommit or None,
        strategy=_strategy(shape, strategy),
        antiAffinity=list(shape.anti_affinity),
        near=list(shape.near),
        cost=None if shape.cost == NO_LIMIT else _cost(shape.cost),
        regions=list(shape.regions),
        preferredRegions=list(shape.preferred_regions),
        maxCarbonGramsPerKwh=shape.max_carbon_g_per_kwh,
        maxWorkersToScore=shape.max_workers_to_score,
        weights=dict(shape.weights),
        containers=[_container(each) for each in shape.containers],
        guaranteed=None if shape.guaranteed else False,
        unknown=shape.unknown or None,
    )


def _strategy(shape: Shape, around: str) -> str | None:
    return None if shape.strategy == around else shape.strategy


def _gpus(request: GpuRequest) -> dict[str, Any]:
    return said(
        count=request.count,
        models=list(request.models),
        memory=request.memory_mib,
        cardMemory=request.card_memory_mib,
        computePercent=None if request.compute_milli is None else request.compute_milli / 10,
        mig=request.mig,
        locality=request.locality and request.locality.value,
        minBandwidth=request.min_bandwidth_gb_per_s,
        runtime=request.runtime,
        fraction=None if request.fraction is None else _decimal(request.fraction),
        resource=request.resource,
        perContainer=request.per_container or None,
        sharing=request.sharing and request.sharing.value,
        unit=request.unit or None,
    )


def _decimal(fraction: Fraction) -> str:
    """A fraction as text; it was written as a decimal number or in percent, so this is exact."""
    return str(Decimal(fraction.numerator) / Decimal(fraction.denominator))


def _model(model: ModelSpec) -> dict[str, Any]:
    known = model.architecture
    architecture = {key: getattr(known, field) for key, field in ARCHITECTURE.items()}
    return said(
        name=model.name,
        path=model.path,
        weights=model.weights_mib,
        context=model.context,
        concurrency=model.concurrency,
        kvDtype=model.kv_dtype,
        kvCache=REST if model.kv_rest else model.kv_cache_mib,
        overhead=model.overhead_mib,
        loras=[_part(each) for each in model.loras],
        draft=None if model.draft is None else _part(model.draft),
        architecture=None if known == UNKNOWN_ARCHITECTURE else said(**architecture, visionHeads=known.vision_heads),
    )


def _part(part: ModelPart) -> int | str | None:
    return part.size_mib if part.path is None else part.path


def _backend(backend: Backend) -> dict[str, Any]:
    return said(name=backend.name, version=backend.version, args=list(backend.args))


def _cost(limit: CostLimit) -> dict[str, Any]:
    return said(maxUsdPerHour=limit.max_usd_per_hour, spot=limit.spot, maxSpotPercent=limit.max_spot_percent)


def _selector(selector: Selector) -> dict[str, Any]:
    return said(
        matchExpressions=[_requirement(each) for each in selector.requirements],
        anyOf=[{"matchExpressions": [_requirement(each) for each in term]} for term in selector.alternatives],
    )


def _requirement(requirement: Requirement) -> dict[str, Any]:
    return said(
        key=requirement.key,
        operator=requirement.operator.value,
        values=list(requirement.values),
        onName=requirement.on_name or None,
    )


def _toleration(toleration: Toleration) -> dict[str, Any]:
    return said(
        key=toleration.key or None,
        operator=None if toleration.operator == "Equal" else toleration.operator,
        value=toleration.value or None,
        effect=toleration.effect and toleration.effect.value,
        tolerationSeconds=toleration.seconds,
    )


def _container(container: Container) -> dict[str, Any]:
    return said(
        cpu=cores(container.cpu_milli) or None,
        ram=container.ram_mib or None,
        cards=container.cards or None,
        cpuLimit=cores(container.cpu_limit_milli),
    )
