"""Every plugin of routing that a configuration may name."""

from bayplan.framework.registry import Registry
from bayplan.routing import defaults
from bayplan.routing.config.builtins import builtins

PAGE = [
    "queue-scorer", "running-requests-size-scorer", "running-requests-scorer", "kv-cache-utilization-scorer",
    "lora-affinity-scorer", "load-aware-scorer", "token-load-scorer", "active-request-scorer", "prefix-cache-scorer",
    "precise-prefix-cache-scorer", "no-hit-lru-scorer", "session-affinity-scorer", "context-length-aware",
    "latency-scorer", "mm-embeddings-cache-scorer", "endpoint-attribute-scorer", "topology-affinity-scorer",
    "header-label-affinity-scorer", "label-selector-filter", "by-label-selector", "by-label", "decode-filter",
    "prefill-filter", "encode-filter", "prefix-cache-affinity-filter", "slo-headroom-tier-filter",
    "session-affinity-filter", "endpoint-attribute-filter", "topology-affinity-filter", "utilization-filter",
    "utilization-detector", "concurrency-detector", "max-score-picker", "random-picker", "weighted-random-picker",
    "single-profile-handler", "disagg-profile-handler", "pd-profile-handler", "data-parallel-profile-handler",
    "header-profile-handler", "shadow-profile-handler", "single-profile", "disagg-profile", "pd-profile",
    "data-parallel-profile", "header-profile", "shadow-profile", "max-score", "random", "weighted-random",
    "prefix-based-pd-decider", "always-disagg-pd-decider", "always-disagg-multimodal-decider",
    "approx-prefix-cache-producer", "precise-prefix-cache-producer", "burst-prefix-cache-producer",
    "inflight-load-producer", "probabilistic-admitter", "latency-slo-admitter", "agent-identity",
    "global-strict-fairness-policy", "round-robin-fairness-policy", "program-aware-fairness", "fcfs-ordering-policy",
    "edf-ordering-policy", "slo-deadline-ordering-policy", "static-usage-limit-policy", "priority-holdback-policy",
    "soft-reflective-ceiling-policy", "openai-parser", "anthropic-parser", "vllmhttp-parser", "sglanghttp-parser",
    "passthrough-parser", "vllmgrpc-parser", "vertexai-parser", "disagg-headers-handler", "prefill-header-handler",
    "token-producer", "session-id-producer", "mm-embeddings-cache-producer", "predicted-latency-producer",
    "p2p-source-producer", "request-attribute-reporter", "metrics-data-source", "models-data-source",
    "dcgm-data-source", "k8s-notification-source", "endpoint-notification-source", "core-metrics-extractor",
    "models-data-extractor", "dcgm-extractor", "topology-extractor", "file-discovery", "sheddable-eviction-filter",
    "priority-then-time-eviction-order-policy", "disaggregatedset-rollout-screener",
]  # fmt: skip


def test_every_name_that_configurations_use_is_known():
    registry = Registry(builtins())

    assert [name for name in PAGE if name not in registry] == []


def test_plugins_of_profiles_are_among_them():
    assert set(defaults.builtins()) < set(builtins())
