"""What one replica asks for."""

from __future__ import annotations

import pytest

from bayplan.cluster.gpu import GpuId
from bayplan.cluster.model import ModelSpec
from bayplan.cluster.selector import Selector
from bayplan.cluster.taint import Toleration
from bayplan.cluster.workload import Backend, CostLimit, DryRun, GpuRequest, Locality, Shape
from bayplan.manifests.native.shape import read_shape
from unit.manifests.opened import opened, places

SHAPES = {
    "nothing": ({}, Shape()),
    "a model": ({"model": {"weights": 5}}, Shape(model=ModelSpec(weights_mib=5))),
    "a backend, whatever the case": ({"backend": {"name": "vLLM"}}, Shape(backend=Backend("vllm"))),
    "a backend by its other name": ({"backend": {"name": "llama-box"}}, Shape(backend=Backend("llama-cpp"))),
    "flags": (
        {"backend": {"name": "vllm", "args": ["--tensor-parallel-size", 2]}},
        Shape(backend=Backend("vllm", ("--tensor-parallel-size", "2")))),
    "how it is started is the runtime's business": (
        {"backend": {"name": "custom", "command": ["./serve"], "image": "mine:1", "env": {"PORT": 80}}},
        Shape(backend=Backend("custom"))),
    "gpus": (
        {"gpus": {"count": 2, "models": ["H100", "A100"], "memory": "10Gi", "cardMemory": "40Gi", "computePercent": 50,
                  "locality": "nvlink", "minBandwidth": "600Gi"}},
        Shape(gpus=GpuRequest(2, ("H100", "A100"), 10240, 40960, 500, None, Locality.NVLINK, 600.0))),
    "instances on one worker": (
        {"gpus": {"count": 2, "mig": "1g.5gb", "locality": "same-node"}},
        Shape(gpus=GpuRequest(2, mig="1g.5gb", locality=Locality.SAME_NODE))),
    "one instance is near to itself": (
        {"gpus": {"mig": "1g.5gb", "locality": "nvlink", "minBandwidth": 9}},
        Shape(gpus=GpuRequest(mig="1g.5gb", locality=Locality.NVLINK, min_bandwidth_gb_per_s=9.0))),
    "cpu and ram": ({"cpu": "0.5", "ram": 100}, Shape(cpu_milli=500, ram_mib=100)),
    "nothing of an amount is not the same as none": ({"cpu": 0}, Shape(cpu_milli=0)),
    "a dry run": (
        {"dryRun": {"A100": {"gpuPercent": 30, "memory": "10Gi"}, "T4": {}}},
        Shape(dry_run=(DryRun("A100", 30.0, 10240), DryRun("T4")))),
    "a selector": ({"selector": {"matchLabels": {"a": "b"}}}, Shape(selector=Selector.of_labels({"a": "b"}))),
    "tolerations": ({"tolerations": [{"operator": "Exists"}]}, Shape(tolerations=(Toleration(operator="Exists"),))),
    "cards by name": ({"gpuIds": ["a:b:cuda:1"]}, Shape(gpu_ids=(GpuId("a:b", "cuda", 1),))),
    "what is allowed": (
        {"distributed": True, "cpuOffload": "true", "allowOvercommit": True},
        Shape(distributed=True, cpu_offload=True, allow_overcommit=True)),
    "a strategy": ({"strategy": "spread"}, Shape(strategy="spread")),
    "near and apart": ({"antiAffinity": ["x"], "near": ["y"]}, Shape(anti_affinity=("x",), near=("y",))),
    "limits": (
        {"cost": {"maxUsdPerHour": "50", "spot": False, "maxSpotPercent": "30%"}, "regions": ["r"],
         "maxCarbonGramsPerKwh": 100, "maxWorkersToScore": 50},
        Shape(cost=CostLimit(50.0, False, 30.0), regions=("r",), max_carbon_g_per_kwh=100.0, max_workers_to_score=50)),
    "null is absent": (dict.fromkeys(("model", "backend", "gpus", "cpu", "gpuIds", "cost", "strategy")), Shape()),
}  # fmt: skip


@pytest.mark.parametrize(("data", "shape"), SHAPES.values(), ids=SHAPES)
def test_shape(data, shape):
    fields = opened(data)

    assert Shape(**read_shape(fields)) == shape
    fields.finish()
    assert not fields.findings.errors
    assert not fields.findings.warnings


REFUSED = {
    "no card id": ({"gpuIds": ["w:cuda:0", "w-cuda-0"]}, ["gpuIds[1]"]),
    "no cards": ({"gpus": {"count": 0}}, ["gpus.count"]),
    "half a card": ({"gpus": {"count": 0.5}}, ["gpus.count"]),
    "a share beside an instance": (
        {"gpus": {"mig": "1g.5gb", "memory": "3Gi", "computePercent": 10}}, ["gpus.memory", "gpus.computePercent"],
    ),
    "more than any number of cards": ({"gpus": {"computePercent": 10**7}}, ["gpus.computePercent"]),
    "a part of a resource": ({"resources": {"a/b": "x"}}, ["resources.a/b"]),
    "no such locality": ({"gpus": {"locality": "same-rack"}}, ["gpus.locality"]),
    "no such backend": ({"backend": {"name": "vlm"}}, ["backend.name"]),
    "a backend without a name": ({"backend": {"args": []}}, ["backend.name"]),
    "no fraction": ({"backend": {"name": "vllm", "args": ["-x", "--gpu-memory-utilization=1.5"]}}, ["backend.args[1]"]),
    "no fraction, beside another problem": (
        {"cpu": "x", "backend": {"name": "sglang", "args": ["--mem-fraction-static=zero"]}},
        ["backend.args[0]", "cpu"]),
    "an argument that is no text": ({"backend": {"name": "vllm", "args": [["a"]]}}, ["backend.args[0]"]),
    "no command, image or environment": (
        {"backend": {"name": "custom", "command": "run", "image": ["x"], "env": ["A=1"]}},
        ["backend.command", "backend.image", "backend.env"]),
    "regions that are no list": ({"regions": "eu"}, ["regions"]),
    "a negative limit": ({"cost": {"maxUsdPerHour": -1}}, ["cost.maxUsdPerHour"]),
    "more than all replicas": ({"cost": {"maxSpotPercent": 101}}, ["cost.maxSpotPercent"]),
    "a dry run of no size": ({"dryRun": {"A100": {"memory": "x"}}}, ["dryRun.A100.memory"]),
    "NaN": ({"maxCarbonGramsPerKwh": float("nan")}, ["maxCarbonGramsPerKwh"]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "where"), REFUSED.values(), ids=REFUSED)
def test_refused(data, where):
    fields = opened(data)
    read_shape(fields)

    assert places(fields) == where
