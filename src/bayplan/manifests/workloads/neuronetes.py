"""What stands beside an AgentPool in the NeuroNetes dialect: AgentClass, Model and ToolBinding.

Only the class's model matters to placement; the rest is checked so that one look finds everything that is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.quantities import parse_duration_s, parse_number
from bayplan.framework.errors import InputError
from bayplan.manifests.native.metadata import read_id
from bayplan.manifests.values import (
    capacity_mib,
    count,
    duration_s,
    flag,
    name,
    number,
    percent,
    positive,
    text,
    what,
    word_of,
)
from bayplan.manifests.workloads.checks import anything, check, inside, named, needed, one, rows, several

if TYPE_CHECKING:
    from bayplan.cluster.workload import WorkloadId
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.checks import Table

_EVICTION = ("never", "idle", "low-priority")


def target(value: object) -> float:
    """A goal of a metric: a number, or a time such as 500ms."""
    try:
        return parse_duration_s(value, "") if isinstance(value, str) else parse_number(value, "")
    except InputError:
        raise InputError(f"{what(value)} is no goal", next="write a number or a time such as 500ms") from None


REFERENCE: Table = {"name": needed(name), "namespace": one(name), "kind": one(text), "apiVersion": one(text)}

_MODEL: Table = {
    "weightsURI": needed(name),
    "size": needed(capacity_mib),
    "quantization": one(word_of(("fp32", "fp16", "int8", "int4", "none"))),
    "shardSpec": inside(
        {
            "count": one(positive),
            "strategy": one(word_of(("tensor-parallel", "pipeline-parallel", "data-parallel"))),
            "topology": anything,
        }
    ),
    "format": one(text),
    "architecture": one(text),
    "parameterCount": anything,
    "framework": one(text),
}
_CACHE: Table = {
    "priority": needed(word_of(("critical", "high", "medium", "low"))),
    "pinDuration": one(duration_s),
    "preloadNodes": several(name),
    "storageClass": one(text),
}
_CLASS: Table = {
    "maxContextLength": one(positive),
    "toolPermissions": rows(
        {
            "name": needed(name),
            "rateLimit": one(text),
            "timeout": one(duration_s),
            "maxConcurrency": one(positive),
            "requiredScopes": several(text),
            "restrictions": anything,
            "config": anything,
        }
    ),
    "guardrails": rows(
        {
            "type": needed(name),
            "action": needed(word_of(("block", "redact", "warn", "log"))),
            "threshold": one(number),
            "config": anything,
        }
    ),
    "slo": inside(
        {
            "ttft": one(target),
            "tokensPerSecond": one(number),
            "p95Latency": one(target),
            "maxCostPerRequest": one(number),
            "availabilityPercent": one(percent),
        }
    ),
    "systemPrompt": one(text),
    "temperature": one(number),
    "maxTokens": one(positive),
    "memoryConfig": inside(
        {
            "type": one(word_of(("ephemeral", "redis", "memcached", "postgres", "dynamodb"))),
            "ttl": one(duration_s),
            "maxSize": one(capacity_mib),
            "connectionString": one(text),
            "config": anything,
        }
    ),
}
_BINDING: Table = {
    "agentPoolRef": inside(REFERENCE),
    "type": one(word_of(("queue", "topic", "http", "webhook", "grpc"))),
    "queueConfig": inside(
        {
            "provider": one(word_of(("nats", "sqs", "rabbitmq", "kafka", "redis"))),
            "connectionString": one(text),
            "connectionStringSecret": anything,
            "queueName": one(text),
            "autoscaleOnLag": one(flag),
            "maxLagThreshold": one(count),
            "prefetchCount": one(positive),
            "ackMode": one(word_of(("auto", "manual", "client"))),
        }
    ),
    "topicConfig": anything,
    "httpConfig": anything,
    "concurrency": anything,
    "timeouts": anything,
    "retryPolicy": anything,
    "labels": named(text),
}


def collect_agent_class(fields: Fields) -> tuple[WorkloadId, str | None]:
    """The identity of a class, and the name of its model."""
    identity, spec = _opened(fields)
    model = None
    if "modelRef" in spec:
        model = spec.child("modelRef").read("name", name)
        inside(REFERENCE)(spec, "modelRef")
    else:
        spec.add("is missing", "modelRef", next="name the model that the class serves")
    check(spec, _CLASS)
    spec.finish()
    return identity, model


def collect_model(fields: Fields) -> WorkloadId:
    """The identity of a model."""
    identity, spec = _opened(fields)
    check(spec, _MODEL)
    if "cachePolicy" in spec:
        _cache_policy(spec.child("cachePolicy"))
    spec.ignore("cachePolicy")
    spec.finish()
    return identity


def collect_tool_binding(fields: Fields) -> WorkloadId:
    """The identity of a binding."""
    identity, spec = _opened(fields)
    check(spec, _BINDING)
    spec.finish()
    return identity


def _opened(fields: Fields) -> tuple[WorkloadId, Fields]:
    fields.ignore("apiVersion", "kind", "status")
    identity, spec = read_id(fields), fields.child("spec")
    fields.finish()
    return identity, spec


def _cache_policy(fields: Fields) -> None:
    """The examples of the dialect use `lru`, which its own definition does not know."""
    check(fields, _CACHE)
    if fields.raw("evictionPolicy") == "lru":
        fields.warn(f"'lru' is not one of {' | '.join(_EVICTION)}", "evictionPolicy", next="it is read as 'idle'")
    else:
        fields.read("evictionPolicy", word_of(_EVICTION))
    fields.finish()
