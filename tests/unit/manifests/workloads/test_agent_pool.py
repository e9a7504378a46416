"""AgentPools."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bayplan.cluster.gang import Gang
from bayplan.cluster.model import ModelSpec
from bayplan.cluster.selector import Selector
from bayplan.cluster.taint import TaintEffect, Toleration
from bayplan.cluster.workload import CostLimit, GpuRequest, Locality, Preemption, Shape, Workload, WorkloadId
from bayplan.manifests.workloads.agent_pool import collect_agent_pool
from unit.manifests.opened import opened, places

REQUIRED = {"agentClassRef": {"name": "c"}, "minReplicas": 1, "maxReplicas": 9, "gpuRequirements": {"count": 1}}
ID = WorkloadId("p")
TAINT = Toleration("neuronetes.ai/gpu", "Equal", "true", TaintEffect.NO_SCHEDULE)


def shape(**fields):
    return Shape(strategy="five-factors", **fields)


ONE = shape(gpus=GpuRequest(1))


def pool(spec):
    return opened({"metadata": {"name": "p"}, "spec": REQUIRED | spec})


def scheduling(**fields):
    return {"scheduling": fields}


POOLS = {
    "the least": ({}, Workload(ID, ONE)),
    "replicas of its own": ({"replicas": 5, "minReplicas": 2}, Workload(ID, ONE, 5)),
    "else the least it may have": ({"minReplicas": 3}, Workload(ID, ONE, 3)),
    "asleep": ({"minReplicas": 0}, Workload(ID, ONE, 0)),
    "cards": (
        {"gpuRequirements": {"count": "8", "type": "A100", "memory": "40Gi",
                             "topology": {"locality": "nvlink", "minBandwidth": "600Gi"}}},
        Workload(ID, shape(gpus=GpuRequest(8, ("A100",), card_memory_mib=40960, locality=Locality.NVLINK,
                                           min_bandwidth_gb_per_s=600.0)))),
    "a bare size is bytes": (
        {"gpuRequirements": {"count": 1, "memory": 2**30}},
        Workload(ID, shape(gpus=GpuRequest(1, card_memory_mib=1024)))),
    "a slice": (
        {"migProfile": "1g.5gb", "gpuRequirements": {"count": 2}},
        Workload(ID, shape(gpus=GpuRequest(2, mig="1g.5gb")))),
    "a slice alone": (
        {"migProfile": "1g.5gb", "gpuRequirements": None}, Workload(ID, shape(gpus=GpuRequest(1, mig="1g.5gb")))),
    "priority": (scheduling(priority=100), Workload(WorkloadId("p", priority=100), ONE)),
    "a gang": (
        {"minReplicas": 4, **scheduling(gangScheduling={"enabled": True, "minMembers": 4})},
        Workload(ID, ONE, 4, gang=Gang(4))),
    "a gang of all": (scheduling(gangScheduling={"enabled": True}), Workload(ID, ONE, gang=Gang())),
    "no gang": (scheduling(gangScheduling={"enabled": False, "minMembers": 4}), Workload(ID, ONE)),
    "preemption": (
        scheduling(preemption={"enabled": True, "policy": "lowest-priority-first"}),
        Workload(ID, ONE, preemption=Preemption.LOWER_PRIORITY)),
    "nodes": (scheduling(nodeSelector={"a": "b"}), Workload(ID, replace(ONE, selector=Selector.of_labels({"a": "b"})))),
    "nodes where the cloud guides write them": (
        {"nodeSelector": {"a": "x", "c": "d"}, **scheduling(nodeSelector={"a": "b"})},
        Workload(ID, replace(ONE, selector=Selector.of_labels({"a": "b", "c": "d"})))),
    "a taint of the cloud guides": (
        {"tolerations": [{"key": "neuronetes.ai/gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"}]},
        Workload(ID, replace(ONE, tolerations=(TAINT,)))),
    "near and apart": (
        scheduling(dataLocality={"vectorStoreAffinity": ["v"], "cacheAffinity": ["r"], "antiAffinity": ["x"]}),
        Workload(ID, replace(ONE, near=("v", "r"), anti_affinity=("x",)))),
    "cost": (
        scheduling(costOptimization={"enabled": True, "maxCostPerHour": "50.0", "spotEnabled": True}),
        Workload(ID, replace(ONE, cost=CostLimit(50.0, True)))),
    "cost counts unless it is switched off": (
        scheduling(costOptimization={"maxCostPerHour": 50}), Workload(ID, replace(ONE, cost=CostLimit(50.0)))),
    "cost switched off": (
        scheduling(costOptimization={"enabled": False, "maxCostPerHour": 50}), Workload(ID, ONE)),
    "cost where the cloud guides write it": (
        {"costOptimization": {"maxCostPerHour": 5, "spotAllocation": {"fallbackToOnDemand": True}}},
        Workload(ID, replace(ONE, cost=CostLimit(5.0)))),
    "a share of spot": (
        scheduling(costOptimization={"spotStrategy": {"maxSpotPercent": 80, "instanceTypes": ["p4d"]}}),
        Workload(ID, replace(ONE, cost=CostLimit(max_spot_percent=80.0)))),
    "the cloud guides' share": (
        {"costOptimization": {"spotAllocation": {"maxSpotPercentage": "70", "fallbackToOnDemand": True}}},
        Workload(ID, replace(ONE, cost=CostLimit(max_spot_percent=70.0)))),
    "the smaller of two shares": (
        scheduling(costOptimization={
            "spotStrategy": {"maxSpotPercent": 80}, "spotAllocation": {"maxSpotPercentage": 0}}),
        Workload(ID, replace(ONE, cost=CostLimit(max_spot_percent=0.0)))),
    "a share that is switched off": (
        scheduling(costOptimization={"spotStrategy": {"enabled": False, "maxSpotPercent": 80}}),
        Workload(ID, replace(ONE, cost=CostLimit()))),
    "carbon": (
        scheduling(carbonAware={"enabled": True, "maxCarbonIntensity": 100}),
        Workload(ID, replace(ONE, max_carbon_g_per_kwh=100.0, weights=(("carbon", 15.0),)))),
    "a wish for regions": (
        scheduling(carbonAware={"enabled": True, "preferredRegions": ["r"]}),
        Workload(ID, replace(ONE, preferred_regions=("r",), weights=(("carbon", 15.0), ("preferred-region", 1e-6))))),
    "a wish that is switched off": (
        scheduling(carbonAware={"enabled": False, "preferredRegions": ["r"]}), Workload(ID, ONE)),
    "a weight of the cache": (
        scheduling(cacheAware={"enabled": True, "cacheHitWeight": 0.5}),
        Workload(ID, replace(ONE, weights=(("model-cache", 50.0),)))),
    "no weight at all": (
        scheduling(cacheAware={"enabled": True, "cacheHitWeight": 0}),
        Workload(ID, replace(ONE, weights=(("model-cache", 0.0),)))),
    "a weight that is switched off": (
        scheduling(cacheAware={"enabled": False, "cacheHitWeight": 0.5}), Workload(ID, ONE)),
    "little weight of places": (
        scheduling(dataLocality={"localityWeight": "low"}),
        Workload(ID, replace(ONE, weights=(("data-locality", 5.0),)))),
    "as much as ever": (
        scheduling(dataLocality={"localityWeight": "medium"}),
        Workload(ID, replace(ONE, weights=(("data-locality", 10.0),)))),
    "both weights": (
        scheduling(dataLocality={"localityWeight": "high"}, cacheAware={"enabled": True, "cacheHitWeight": 0.75}),
        Workload(ID, replace(ONE, weights=(("model-cache", 75.0), ("data-locality", 20.0))))),
    "carbon switched off": (scheduling(carbonAware={"enabled": False, "maxCarbonIntensity": 100}), Workload(ID, ONE)),
    "a few workers": (
        scheduling(fastScheduling={"enabled": True, "maxNodesToScore": 50}),
        Workload(ID, replace(ONE, max_workers_to_score=50))),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "workload"), POOLS.values(), ids=POOLS)
def test_pool(spec, workload):
    fields = pool(spec)

    assert collect_agent_pool(fields).workload == workload
    assert not fields.findings.errors
    assert not fields.findings.warnings


def test_what_is_missing_is_a_warning():
    fields = opened({"metadata": {"name": "p"}, "spec": {}})

    assert collect_agent_pool(fields).workload == Workload(ID, ONE)
    assert not fields.findings.errors
    told = [each.split(": ")[1] for each in fields.findings.warnings]
    assert sorted(told) == ["spec.agentClassRef", "spec.gpuRequirements", "spec.maxReplicas", "spec.minReplicas"]


TOLD = {
    "a switch": (scheduling(gangScheduling={"minMembers": 2}), "spec.scheduling.gangScheduling.enabled"),
    "weights that leave nothing": (
        scheduling(dataLocality={"localityWeight": "high"}, cacheAware={"enabled": True, "cacheHitWeight": 0.9}),
        "spec.scheduling.cacheAware.cacheHitWeight"),
    "an unknown field of a share": (
        scheduling(costOptimization={"spotStrategy": {"hue": "green"}}),
        "spec.scheduling.costOptimization.spotStrategy.hue"),
    "a field that nobody knows": (
        scheduling(costOptimization={"favouriteColour": "green"}), "spec.scheduling.costOptimization.favouriteColour"),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "place"), TOLD.values(), ids=TOLD)
def test_told(spec, place):
    fields = pool(spec)
    collect_agent_pool(fields)

    assert [each.split(": ")[1] for each in fields.findings.warnings] == [place]


REFUSED = {
    "bounds": ({"minReplicas": 9, "maxReplicas": 3}, ["spec.minReplicas"]),
    "no card": ({"gpuRequirements": {"count": 0}}, ["spec.gpuRequirements.count"]),
    "no size": ({"gpuRequirements": {"memory": "1e999Gi"}}, ["spec.gpuRequirements.memory"]),
    "no locality": ({"gpuRequirements": {"topology": {"locality": "same-rack"}}},
                    ["spec.gpuRequirements.topology.locality"]),
    "a share of spot": (
        scheduling(costOptimization={"spotStrategy": {"maxSpotPercent": 101}}),
        ["spec.scheduling.costOptimization.spotStrategy.maxSpotPercent"]),
    "a percentage": ({"prewarmPercent": 150}, ["spec.prewarmPercent"]),
    "a metric": ({"autoscaling": {"metrics": [{"type": "x"}]}}, ["spec.autoscaling.metrics[0].type"]),
    "a class without a name": ({"agentClassRef": {}}, ["spec.agentClassRef.name"]),
    "a weight": (scheduling(dataLocality={"localityWeight": "huge"}), ["spec.scheduling.dataLocality.localityWeight"]),
    "a weight above all": (scheduling(cacheAware={"enabled": True, "cacheHitWeight": 1.5}),
                           ["spec.scheduling.cacheAware.cacheHitWeight"]),
    "a policy": (scheduling(preemption={"enabled": True, "policy": "x"}), ["spec.scheduling.preemption.policy"]),
    "all at once": (
        {"minReplicas": 9, "maxReplicas": 3, "prewarmPercent": 150, "gpuRequirements": {"count": 0}},
        ["spec.gpuRequirements.count", "spec.minReplicas", "spec.prewarmPercent"]),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(spec, where):
    fields = pool(spec)
    collect_agent_pool(fields)

    assert places(fields) == where


def test_the_model_is_that_of_the_class():
    fields = pool({})
    served = collect_agent_pool(fields).serving({("default", "c"): "llama"}, fields)

    assert served.shape == replace(ONE, model=ModelSpec("llama"))
    assert not fields.findings.warnings


def test_a_class_of_another_namespace():
    fields = pool({"agentClassRef": {"name": "c", "namespace": "n"}})
    found = collect_agent_pool(fields)

    assert found.serving({("n", "c"): "llama"}, fields).shape.model == ModelSpec("llama")
    assert found.serving({("default", "c"): "llama"}, fields).shape.model is None


def test_a_class_that_is_not_there_is_told():
    fields = pool({})
    collect_agent_pool(fields).serving({}, fields)

    assert "no AgentClass 'c'" in fields.findings.warnings[0]
