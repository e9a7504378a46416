"""What stands beside a pool."""

from __future__ import annotations

import pytest

from bayplan.cluster.workload import WorkloadId
from bayplan.framework.errors import InputError
from bayplan.manifests.workloads.neuronetes import collect_agent_class, collect_model, collect_tool_binding, target
from unit.manifests.opened import opened, places


def document(spec):
    return opened({"metadata": {"name": "x", "namespace": "n"}, "spec": spec})


def test_the_model_of_a_class():
    assert collect_agent_class(document({"modelRef": {"name": "m"}})) == (WorkloadId("x", "n"), "m")


CLASSES = {
    "everything": ({
        "modelRef": {"name": "m"}, "maxContextLength": 8192, "temperature": "0.7", "maxTokens": 100,
        "toolPermissions": [{"name": "t", "rateLimit": "100/min", "timeout": "30s", "config": {"a": [1]}}],
        "guardrails": [{"type": "pii-detection", "action": "redact", "threshold": "0.8"}],
        "slo": {"ttft": "500ms", "tokensPerSecond": 50, "p95Latency": "2s", "availabilityPercent": 99.9},
        "memoryConfig": {"type": "redis", "ttl": "1d"}}, []),
    "no model": ({}, ["spec.modelRef"]),
    "a model without a name": ({"modelRef": {}}, ["spec.modelRef.name"]),
    "an action that nobody knows": (
        {"modelRef": {"name": "m"}, "guardrails": [{"type": "x", "action": "explode"}]}, ["spec.guardrails[0].action"]),
    "no goal": ({"modelRef": {"name": "m"}, "slo": {"ttft": "soon"}}, ["spec.slo.ttft"]),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "where"), CLASSES.values(), ids=CLASSES)
def test_classes(spec, where):
    fields = document(spec)
    collect_agent_class(fields)

    assert places(fields) == where
    assert not fields.findings.warnings


LEAST = {"weightsURI": "s3://b/m", "size": "50Gi"}
MODELS = {
    "the least": (LEAST, []),
    "everything": (LEAST | {
        "size": "140GB", "quantization": "int4", "shardSpec": {"count": 4, "strategy": "tensor-parallel"},
        "cachePolicy": {"priority": "high", "pinDuration": "7d", "preloadNodes": ["n"], "evictionPolicy": "idle"},
        "format": "safetensors", "architecture": "llama", "parameterCount": "70B", "framework": "vllm"}, []),
    "no address": ({"size": 1}, ["spec.weightsURI"]),
    "no size": ({"weightsURI": "x"}, ["spec.size"]),
    "quantization": (LEAST | {"quantization": "fp99"}, ["spec.quantization"]),
    "shards": (LEAST | {"shardSpec": {"count": 0, "strategy": "x"}},
               ["spec.shardSpec.count", "spec.shardSpec.strategy"]),
    "priority": (LEAST | {"cachePolicy": {}}, ["spec.cachePolicy.priority"]),
    "eviction": (LEAST | {"cachePolicy": {"priority": "low", "evictionPolicy": "x"}},
                 ["spec.cachePolicy.evictionPolicy"]),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "where"), MODELS.values(), ids=MODELS)
def test_models(spec, where):
    fields = document(spec)
    collect_model(fields)

    assert places(fields) == where
    assert not fields.findings.warnings


def test_the_eviction_of_the_examples_is_a_warning():
    fields = document(LEAST | {"cachePolicy": {"priority": "low", "evictionPolicy": "lru"}})
    collect_model(fields)

    assert not fields.findings.errors
    assert "'lru'" in fields.findings.warnings[0]


BINDINGS = {
    "the guide's": ({"queueConfig": {"autoscaleOnLag": True, "maxLagThreshold": 100}}, []),
    "a type that nobody knows": ({"type": "pigeon"}, ["spec.type"]),
    "a provider": ({"queueConfig": {"provider": "x"}}, ["spec.queueConfig.provider"]),
    "a pool without a name": ({"agentPoolRef": {}}, ["spec.agentPoolRef.name"]),
}


@pytest.mark.parametrize(("spec", "where"), BINDINGS.values(), ids=BINDINGS)
def test_bindings(spec, where):
    fields = document(spec)
    collect_tool_binding(fields)

    assert places(fields) == where


@pytest.mark.parametrize(("value", "goal"), [(100, 100.0), ("100", 100.0), ("500ms", 0.5), ("0.01", 0.01), ("1s", 1.0)])
def test_goals(value, goal):
    assert target(value) == goal


@pytest.mark.parametrize("value", ["soon", -1, None, []])
def test_no_goals(value):
    with pytest.raises(InputError, match="is no goal"):
        target(value)
