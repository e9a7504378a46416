"""The fields of AgentClass, Model and ToolBinding, and what each may hold according to types, CRD and guides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayplan.cluster.quantities import parse_duration_s, parse_number
from bayplan.cluster.workload import Locality
from bayplan.framework.errors import InputError
from bayplan.manifests.values import (
    bandwidth_gb_per_s,
    capacity_mib,
    count,
    duration_s,
    flag,
    money,
    name,
    number,
    one_of,
    percent,
    positive,
    rate,
    text,
    what,
    word_of,
)
from bayplan.manifests.workloads.checks import anything, expected, inside, named, needed, one, rows, several

if TYPE_CHECKING:
    from bayplan.manifests.fields import Fields
    from bayplan.manifests.workloads.checks import Table

EVICTION = ("never", "idle", "low-priority")

_GUARDRAILS = (
    "pii-detection",
    "safety-check",
    "content-filter",
    "jailbreak-detection",
    "prompt-injection",
    "toxicity-check",
)


def target(value: object) -> float:
    """The target of a metric: a number, or a duration such as 500ms."""
    try:
        return parse_duration_s(value, "") if isinstance(value, str) else parse_number(value, "")
    except InputError:
        raise InputError(f"{what(value)} is no goal", next="write a number or a time such as 500ms") from None


def _guardrail(fields: Fields, key: str) -> None:
    """Plugins may add guardrails, so an unknown type is a warning and not an error."""
    found = fields.need(key, name, "")
    if found and found not in _GUARDRAILS:
        fields.warn(f"{what(found)} is not one of {' | '.join(_GUARDRAILS)}", key, next="a plugin must provide it")


def _pool(fields: Fields, key: str) -> None:
    """The pool of a binding; optional, because the example of the guide leaves it out."""
    if key not in fields:
        fields.warn("is missing", key, next="name the pool that the binding feeds")
    inside(REFERENCE)(fields, key)


REFERENCE: Table = {"name": needed(name), "namespace": one(name), "kind": one(text), "apiVersion": one(text)}

_TOPOLOGY: Table = {"locality": one(one_of(Locality)), "minBandwidth": one(bandwidth_gb_per_s)}

MODEL: Table = {
    "weightsURI": needed(name),
    "size": needed(capacity_mib),
    "quantization": one(word_of(("fp32", "fp16", "int8", "int4", "none"))),
    "shardSpec": inside(
        {
            "count": one(positive),
            "strategy": one(word_of(("tensor-parallel", "pipeline-parallel", "data-parallel"))),
            "topology": inside(_TOPOLOGY),
        }
    ),
    "format": one(text),
    "architecture": one(text),
    "parameterCount": anything,
    "framework": one(text),
}

CACHE_POLICY: Table = {
    "priority": needed(word_of(("critical", "high", "medium", "low"))),
    "pinDuration": one(duration_s),
    "preloadNodes": several(name),
    "storageClass": one(text),
}

CLASS: Table = {
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
            "type": _guardrail,
            "action": needed(word_of(("block", "redact", "warn", "log"))),
            "threshold": one(rate),
            "config": anything,
        }
    ),
    "slo": inside(
        {
            "ttft": one(target),
            "tokensPerSecond": one(number),
            "p95Latency": one(target),
            "maxCostPerRequest": one(money),
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
            "encrypted": one(flag),
            "connectionString": one(text),
            "config": anything,
            "encryption": anything,
        }
    ),
    "dataRetention": anything,
    "auditLog": anything,
    "accessControl": anything,
}

BINDING: Table = {
    "agentPoolRef": _pool,
    "type": expected(word_of(("queue", "topic", "http", "webhook", "grpc"))),
    "queueConfig": inside(
        {
            "provider": one(word_of(("nats", "sqs", "rabbitmq", "kafka", "redis"))),
            "connectionString": one(text),
            "connectionStringSecret": anything,
            "queueName": one(name),
            "autoscaleOnLag": one(flag),
            "maxLagThreshold": one(count),
            "prefetchCount": one(positive),
            "ackMode": one(word_of(("auto", "manual", "client"))),
        }
    ),
    "topicConfig": inside(
        {
            "provider": one(word_of(("kafka", "pubsub", "nats", "sns"))),
            "connectionString": one(text),
            "connectionStringSecret": anything,
            "topicName": one(name),
            "consumerGroup": one(text),
            "partitions": several(count),
            "autoscaleOnLag": one(flag),
            "maxLagThreshold": one(count),
        }
    ),
    "httpConfig": inside(
        {
            "path": one(name),
            "methods": several(name),
            "rateLimitPerIP": one(text),
            "rateLimitPerUser": one(text),
            "rateLimitGlobal": one(text),
            "burst": inside({"size": one(positive), "replenishRate": one(text)}),
            "streamingEnabled": one(flag),
            "corsConfig": inside(
                {
                    "allowedOrigins": several(text),
                    "allowedMethods": several(text),
                    "allowedHeaders": several(text),
                    "maxAge": one(duration_s),
                }
            ),
            "cors": anything,
            "authentication": anything,
        }
    ),
    "concurrency": inside(
        {
            "maxConcurrentRequests": one(positive),
            "maxQueuedRequests": one(count),
            "perSessionLimit": one(positive),
        }
    ),
    "timeout": one(duration_s),
    "timeouts": inside({each: one(duration_s) for each in ("requestTimeout", "toolTimeout", "idleTimeout")}),
    "retryPolicy": inside(
        {
            "maxAttempts": one(count),
            "initialBackoff": one(duration_s),
            "maxBackoff": one(duration_s),
            "backoffMultiplier": one(number),
            "retryableErrors": several(text),
        }
    ),
    "labels": named(text),
}
