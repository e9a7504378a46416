"""What stands beside a pool."""

from __future__ import annotations

import pytest

from bayplan.cluster.workload import WorkloadId
from bayplan.manifests.workloads.neuronetes import collect_agent_class, collect_model, collect_tool_binding
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
        "memoryConfig": {"type": "dynamodb", "ttl": "1d", "maxSize": 10000, "encrypted": True}}, []),
    "no model": ({}, ["spec.modelRef"]),
    "a model without a name": ({"modelRef": {}}, ["spec.modelRef.name"]),
    "an action that nobody knows": (
        {"modelRef": {"name": "m"}, "guardrails": [{"type": "safety-check", "action": "explode"}]},
        ["spec.guardrails[0].action"]),
    "a threshold beyond certainty": (
        {"modelRef": {"name": "m"}, "guardrails": [{"type": "safety-check", "action": "log", "threshold": "1.5"}]},
        ["spec.guardrails[0].threshold"]),
    "a memory": ({"modelRef": {"name": "m"}, "memoryConfig": {"type": "sieve"}}, ["spec.memoryConfig.type"]),
    "no goal": ({"modelRef": {"name": "m"}, "slo": {"ttft": "soon"}}, ["spec.slo.ttft"]),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "where"), CLASSES.values(), ids=CLASSES)
def test_classes(spec, where):
    fields = document(spec)
    collect_agent_class(fields)

    assert places(fields) == where
    assert not fields.findings.warnings


def test_a_guardrail_of_a_plugin_is_told():
    fields = document({"modelRef": {"name": "m"}, "guardrails": [{"type": "code-injection-check", "action": "block"}]})
    collect_agent_class(fields)

    assert not fields.findings.errors
    assert "spec.guardrails[0].type: 'code-injection-check' is not one of" in fields.findings.warnings[0]


LEAST = {"weightsURI": "s3://b/m", "size": "50Gi"}
MODELS = {
    "the least": (LEAST, []),
    "everything": (LEAST | {
        "size": "140GB", "quantization": "int4", "shardSpec": {
            "count": 4, "strategy": "tensor-parallel", "topology": {"locality": "nvlink", "minBandwidth": "600Gi"}},
        "cachePolicy": {"priority": "high", "pinDuration": "7d", "preloadNodes": ["n"], "evictionPolicy": "idle"},
        "format": "safetensors", "architecture": "llama", "parameterCount": "70B", "framework": "vllm"}, []),
    "no address": ({"size": 1}, ["spec.weightsURI"]),
    "no size": ({"weightsURI": "x"}, ["spec.size"]),
    "quantization": (LEAST | {"quantization": "fp99"}, ["spec.quantization"]),
    "shards": (LEAST | {"shardSpec": {"count": 0, "strategy": "x"}},
               ["spec.shardSpec.count", "spec.shardSpec.strategy"]),
    "where shards lie": (
        LEAST | {"shardSpec": {"topology": {"locality": "same-rack", "minBandwidth": "wide"}}},
        ["spec.shardSpec.topology.locality", "spec.shardSpec.topology.minBandwidth"]),
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


POOL = {"agentPoolRef": {"name": "p"}}
BINDINGS = {
    "a queue": (POOL | {
        "type": "queue", "queueConfig": {"provider": "kafka", "connectionString": "x", "queueName": "q",
                                         "autoscaleOnLag": True, "maxLagThreshold": "100", "prefetchCount": 5,
                                         "ackMode": "client"},
        "concurrency": {"maxConcurrentRequests": 10, "maxQueuedRequests": 0, "perSessionLimit": 3},
        "timeouts": {"requestTimeout": "5m", "toolTimeout": "30s", "idleTimeout": "1d"},
        "retryPolicy": {"maxAttempts": 0, "initialBackoff": "500ms", "maxBackoff": "1m", "backoffMultiplier": "2.5",
                        "retryableErrors": ["timeout"]}}, []),
    "a topic": (POOL | {
        "type": "topic", "topicConfig": {"provider": "sns", "connectionString": "x", "topicName": "t",
                                         "consumerGroup": "g", "partitions": [0, 1], "autoscaleOnLag": False}}, []),
    "a path": (POOL | {
        "type": "http", "httpConfig": {"path": "/v1", "methods": ["POST"], "rateLimitPerIP": "100/min",
                                       "streamingEnabled": True,
                                       "corsConfig": {"allowedOrigins": ["*"], "allowedMethods": ["POST"],
                                                      "allowedHeaders": ["Authorization"], "maxAge": 3600}}}, []),
    "a type that nobody knows": (POOL | {"type": "pigeon"}, ["spec.type"]),
    "providers": (
        POOL | {"type": "queue", "queueConfig": {"provider": "x"}, "topicConfig": {"provider": "sqs"}},
        ["spec.queueConfig.provider", "spec.topicConfig.provider"]),
    "no time": (POOL | {"type": "http", "timeouts": {"toolTimeout": "soon"}}, ["spec.timeouts.toolTimeout"]),
    "tries": (POOL | {"type": "http", "retryPolicy": {"maxAttempts": -1}}, ["spec.retryPolicy.maxAttempts"]),
    "a pool without a name": ({"agentPoolRef": {}, "type": "http"}, ["spec.agentPoolRef.name"]),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "where"), BINDINGS.values(), ids=BINDINGS)
def test_bindings(spec, where):
    fields = document(spec)
    collect_tool_binding(fields)

    assert places(fields) == where
    assert not fields.findings.warnings


def test_the_binding_of_the_guide_does_not_say_whom_it_binds_nor_how():
    fields = document({"queueConfig": {"autoscaleOnLag": True, "maxLagThreshold": 100}})
    collect_tool_binding(fields)

    assert not fields.findings.errors
    assert [each.split(": ")[1] for each in fields.findings.warnings] == ["spec.agentPoolRef", "spec.type"]
