"""An AgentPool of the NeuroNetes dialect, in the forms of its types, its CRD and its guides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bayplan.cluster.gang import Gang
from bayplan.cluster.model import ModelSpec
from bayplan.cluster.selector import Selector
from bayplan.cluster.workload import CostLimit, GpuRequest, Locality, Preemption, Shape, Workload
from bayplan.manifests.native.labels import read_tolerations
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.native.shape import backend_name, check_run
from bayplan.manifests.values import (
    bandwidth_gb_per_s,
    claim_mib_of_bytes,
    count,
    flag,
    money,
    name,
    number,
    one_of,
    percent,
    positive,
    priority,
    rate,
    text,
    word_of,
)
from bayplan.manifests.workloads.agent_pool_checks import CACHE, CARBON, COST, POOL, SPOT
from bayplan.manifests.workloads.checks import check, check_unused
from bayplan.manifests.workloads.neuronetes_checks import REFERENCE
from bayplan.placement.decision import five_factors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayplan.manifests.fields import Fields

ClassId = tuple[str, str]
"""Namespace and name."""

Weights = dict[str, float]
"""By the name of a scorer, in percent of all."""

_locality = one_of(Locality)

NOT_SCALED = "it is checked and kept; pools are not scaled yet"
_NOT_ROUTED = "it is checked and kept; sessions are not routed yet"


@dataclass(frozen=True, slots=True)
class PoolRead:
    """A pool, and the class that names its model."""

    workload: Workload
    agent_class: ClassId | None

    def serving(self, models: Mapping[ClassId, str | None], fields: Fields) -> Workload:
        """The pool with the model of its class. Only the name: the cards of a pool are given whole."""
        if self.agent_class is None:
            return self.workload
        if self.agent_class not in models:
            message = f"no AgentClass {self.agent_class[1]!r} is among the documents, so the model is not known"
            fields.warn(message, "spec", "agentClassRef", next="add the AgentClass")
            return self.workload
        model = ModelSpec(name=models[self.agent_class])
        return replace(self.workload, shape=replace(self.workload.shape, model=model))


def collect_agent_pool(fields: Fields) -> PoolRead:
    """A pool as far as it can be read."""
    fields.ignore("apiVersion", "kind", "status")
    spec = fields.child("spec")
    scheduling = spec.child("scheduling")
    identity = read_id(fields, scheduling.read("priority", priority, 0))
    shape = {"gpus": _gpus(spec), **_cost(spec, scheduling), **_scheduling(scheduling), **_workers(spec, scheduling)}
    replicas = _replicas(spec)
    workload = spec.build(
        Workload,
        id=identity,
        replicas=replicas,
        shape=Shape(**shape),
        gang=_gang(scheduling, replicas),
        preemption=_preemption(scheduling),
    )
    agent_class = _agent_class(spec, identity.namespace)
    _check_backend(spec)
    spec.leave("sessionAffinity", reason=_NOT_ROUTED)
    check_unused(spec, POOL, NOT_SCALED)
    for each in (scheduling, spec, fields):
        each.finish()
    return PoolRead(workload or Workload(identity), agent_class)


def _check_backend(spec: Fields) -> None:
    """How the replicas are started, a field of ours. Their cards are given whole, so a plan needs nothing of it."""
    backend = spec.child("backend")
    if "backend" in spec:
        backend.read("name", backend_name)
        backend.read("version", text)
        backend.each("args", text)
        check_run(backend)
        backend.leave_to_runtime(("name", "version", "args"))
    backend.finish()


def _replicas(spec: Fields) -> int:
    """The number of replicas, else the minimum of the pool."""
    wanted = spec.read("replicas", count)
    least, most = spec.read("minReplicas", count), spec.read("maxReplicas", positive)
    if least is not None and most is not None and least > most:
        message = f"{least} is more than maxReplicas, which is {most}"
        spec.add(message, "minReplicas", next="raise one or lower the other")
    for key, given in (("minReplicas", least), ("maxReplicas", most)):
        if given is None and key not in spec:
            spec.warn("is missing", key, next="give it: the AgentPool format requires it")
    spec.leave("maxReplicas", reason=NOT_SCALED)
    return next((number for number in (wanted, least) if number is not None), 1)


def _agent_class(spec: Fields, namespace: str) -> ClassId | None:
    if "agentClassRef" not in spec:
        spec.ignore("agentClassRef")
        spec.warn("is missing", "agentClassRef", next="name the AgentClass, which names the model")
        return None
    reference = spec.child("agentClassRef")
    check(reference, REFERENCE)
    reference.finish()
    return reference.read("namespace", name, namespace), reference.read("name", name, "?")


def _gpus(spec: Fields) -> GpuRequest | None:
    """Whole cards; one where the pool does not state a number."""
    mig = spec.read("migProfile", name)
    if "gpuRequirements" not in spec:
        spec.ignore("gpuRequirements")
        if mig is None:
            spec.warn(
                "is missing; one card of any model is assumed", "gpuRequirements", next="state what a replica needs"
            )
        return GpuRequest(count=1, mig=mig)
    fields = spec.child("gpuRequirements")
    topology = fields.child("topology")
    model = fields.read("type", name)
    request = fields.build(
        GpuRequest,
        count=_count(fields),
        models=() if model is None else (model,),
        card_memory_mib=fields.read("memory", claim_mib_of_bytes),
        mig=mig,
        locality=topology.read("locality", _locality),
        min_bandwidth_gb_per_s=topology.read("minBandwidth", bandwidth_gb_per_s),
    )
    topology.finish()
    fields.finish()
    return request


def _count(fields: Fields) -> int:
    if "count" not in fields:
        fields.warn("is missing; one card is assumed", "count", next="state how many")
    return fields.read("count", positive, 1)


def _cost(spec: Fields, scheduling: Fields) -> dict[str, Any]:
    """The cloud guides write costOptimization beside scheduling, the others inside it; it counts unless disabled."""
    found: dict[str, Any] = {}
    for owner in (spec, scheduling):
        if "costOptimization" not in owner:
            owner.ignore("costOptimization")
            continue
        fields = owner.child("costOptimization")
        limit = fields.build(
            CostLimit,
            max_usd_per_hour=fields.read("maxCostPerHour", money),
            spot=fields.read("spotEnabled", flag),
            max_spot_percent=_spot_percent(fields),
        )
        check_unused(fields, COST, NOT_SCALED)
        if fields.read("enabled", flag, True) and limit is not None:
            found["cost"] = limit
        fields.finish()
    return found


def _spot_percent(cost: Fields) -> float | None:
    """How much of the pool may run on spot workers. Guides use two names for it; the smaller value counts."""
    found = []
    for key in ("spotStrategy", "spotAllocation"):
        if key not in cost:
            cost.ignore(key)
            continue
        fields = cost.child(key)
        shares = [fields.read(each, percent) for each in ("maxSpotPercent", "maxSpotPercentage")]
        if fields.read("enabled", flag, True):
            found += [share for share in shares if share is not None]
        check_unused(fields, SPOT, NOT_SCALED)
        fields.finish()
    return min(found, default=None)


def _scheduling(scheduling: Fields) -> dict[str, Any]:
    """The demands and preferences of a pool as fields of a Shape."""
    near, apart, locality = _data_locality(scheduling.child("dataLocality"))
    cache = _cache_aware(scheduling)
    limit, regions, carbon = _carbon(scheduling)
    if sum((*locality.values(), *cache.values())) > 100:
        message = f"together with localityWeight it is {sum((*locality.values(), *cache.values())):g} % of the score"
        step = "lower one of the two; no weight is left for the other factors"
        scheduling.child("cacheAware").warn(message, "cacheHitWeight", next=step)
    return {
        "strategy": five_factors.STRATEGY,
        "near": near,
        "anti_affinity": apart,
        "max_carbon_g_per_kwh": limit,
        "preferred_regions": regions,
        "max_workers_to_score": _fast(scheduling),
        "weights": tuple({**cache, **locality, **carbon}.items()),
    }


def _workers(spec: Fields, scheduling: Fields) -> dict[str, Any]:
    """The workers that the pool may use; the cloud guides write that beside `scheduling`."""
    labels = {**spec.mapping("nodeSelector", text), **scheduling.mapping("nodeSelector", text)}
    tolerations = read_tolerations(spec) + read_tolerations(scheduling)
    return {"selector": Selector.of_labels(labels), "tolerations": tolerations}


def _data_locality(fields: Fields) -> tuple[tuple[str, ...], tuple[str, ...], Weights]:
    near = fields.each("vectorStoreAffinity", name) + fields.each("cacheAffinity", name)
    word = fields.read("localityWeight", word_of(tuple(five_factors.LOCALITY_PERCENT)))
    apart = fields.each("antiAffinity", name)
    fields.finish()
    return near, apart, {five_factors.DATA_LOCALITY: five_factors.LOCALITY_PERCENT[word]} if word else {}


def _cache_aware(scheduling: Fields) -> Weights:
    fields, enabled = _switched(scheduling, "cacheAware")
    share = fields.read("cacheHitWeight", rate)
    check_unused(fields, CACHE, "models are not loaded ahead of time")
    fields.finish()
    return {five_factors.MODEL_CACHE: 100 * share} if share is not None and enabled else {}


def _carbon(scheduling: Fields) -> tuple[float | None, tuple[str, ...], Weights]:
    """The carbon limit, the regions preferred among equal workers, and the scorers that are added for both."""
    fields, enabled = _switched(scheduling, "carbonAware")
    limit, regions = fields.read("maxCarbonIntensity", number), fields.each("preferredRegions", name)
    check_unused(fields, CARBON, "work is not put off to another time of the day")
    fields.finish()
    if not enabled:
        return None, (), {}
    added = {five_factors.CARBON: five_factors.CARBON_PERCENT}
    return limit, regions, {**added, five_factors.PREFERRED_REGION: five_factors.WISH_PERCENT} if regions else added


def _fast(scheduling: Fields) -> int | None:
    fields, enabled = _switched(scheduling, "fastScheduling")
    most = fields.read("maxNodesToScore", positive)
    fields.finish()
    return most if enabled else None


def _gang(scheduling: Fields, replicas: int) -> Gang | None:
    fields, enabled = _switched(scheduling, "gangScheduling")
    least = fields.read("minMembers", count)
    gang = fields.build(Gang, minimum=least)
    if enabled and least is not None and least > replicas > 0:
        message = f"{least} members must start together and the pool has {replicas}, so none is placed"
        fields.warn(message, "minMembers", next="raise minReplicas, or lower minMembers")
    fields.finish()
    return gang if enabled else None


def _preemption(scheduling: Fields) -> Preemption:
    fields, enabled = _switched(scheduling, "preemption")
    fields.read("policy", word_of(("lowest-priority-first",)))
    fields.finish()
    return Preemption.LOWER_PRIORITY if enabled else Preemption.NEVER


def _switched(owner: Fields, key: str) -> tuple[Fields, bool]:
    """A group of fields that counts only with `enabled: true`."""
    fields = owner.child(key)
    if key in owner and "enabled" not in fields:
        fields.warn("is missing, so the fields beside it have no effect", "enabled", next="write enabled: true")
    return fields, fields.read("enabled", flag, False)
