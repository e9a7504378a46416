"""Configurations of routing: documents that use every part, builders of small ones, and what is asked of them."""

from bayplan.framework.errors import ConfigError
from bayplan.framework.registry import Registry
from bayplan.routing.config.builtins import builtins
from bayplan.routing.config.reader import read_routing_config

RICH = {
    "apiVersion": "llm-d.ai/v1alpha1",
    "kind": "EndpointPickerConfig",
    "featureGates": ["flowControl", "dataLayer=true"],
    "plugins": [
        {"type": "queue-scorer"},
        {"type": "prefix-cache-scorer", "name": "prefix", "parameters": {"matchLengthWeight": 0.5}},
        {"type": "decode-filter"},
        {"type": "utilization-filter", "parameters": {"conditions": [{"metric": "waiting-queue", "maxValue": 16}]}},
        {"type": "weighted-random", "parameters": {"maxNumOfEndpoints": 2}},
        {"type": "concurrency-detector", "parameters": {"maxConcurrency": 64}},
        {"type": "round-robin-fairness-policy"},
        {"type": "edf-ordering-policy"},
        {"type": "priority-holdback-policy", "parameters": {"minCeiling": 0.6, "maxCeiling": 0.9}},
        {"type": "metrics-data-source", "name": "metrics"},
        {"type": "core-metrics-extractor", "parameters": {"engineConfigs": [{"name": "mine", "kvUsageSpec": "cache"}]}},
        {"type": "openai-parser"},
        {"type": "file-discovery", "parameters": {"path": "endpoints.yaml"}},
        {"type": "probabilistic-admitter"},
    ],
    "schedulingProfiles": [
        {
            "name": "default",
            "plugins": [
                {"pluginRef": "decode-filter"},
                {"pluginRef": "utilization-filter"},
                {"pluginRef": "queue-scorer", "weight": 2},
                {"pluginRef": "prefix", "weight": 3.5},
                {"pluginRef": "weighted-random"},
            ],
        }
    ],
    "dataLayer": {
        "sources": [{"pluginRef": "metrics", "extractors": [{"pluginRef": "core-metrics-extractor"}]}],
        "discovery": {"pluginRef": "file-discovery"},
    },
    "flowControl": {
        "saturationDetector": {"pluginRef": "concurrency-detector"},
        "maxBytes": "10Gi",
        "maxRequests": 1000,
        "defaultRequestTTL": "1m30s",
        "noEndpointRequestTTL": "0s",
        "priorityBands": [{"priority": 10, "maxRequests": "1k", "fairnessPolicyRef": "round-robin-fairness-policy"}],
        "defaultPriorityBand": {"orderingPolicyRef": "edf-ordering-policy"},
        "defaultNegativePriorityBand": {"maxRequests": 5},
        "usageLimitPolicyPluginRef": "priority-holdback-policy",
        "enableEviction": True,
    },
    "requestHandler": {"parsers": [{"pluginRef": "openai-parser"}]},
}

STAGES = {
    "apiVersion": "inference.networking.x-k8s.io/v1alpha1",
    "kind": "EndpointPickerConfig",
    "plugins": [
        {"type": "queue-scorer"},
        {"type": "encode-filter"},
        {"type": "prefill-filter"},
        {"type": "decode-filter"},
        {
            "type": "disagg-profile-handler",
            "parameters": {
                "profiles": {"decode": "d", "prefill": "p", "encode": "e"},
                "deciders": {"prefill": "prefix-based-pd-decider", "encode": "always-disagg-multimodal-decider"},
            },
        },
        {"type": "always-disagg-multimodal-decider"},
        {"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": 16}},
    ],
    "schedulingProfiles": [
        {"name": "e", "plugins": [{"pluginRef": "encode-filter"}]},
        {"name": "p", "plugins": [{"pluginRef": "prefill-filter"}, {"pluginRef": "queue-scorer"}]},
        {"name": "d", "plugins": [{"pluginRef": "decode-filter"}, {"pluginRef": "queue-scorer", "weight": 1}]},
    ],
    "saturationDetector": {"queueDepthThreshold": 8, "metricsStalenessThreshold": "150ms"},
}
NATIVE = {
    "scheduler": "routing",
    "onPluginError": "skip",
    "featureGates": {"flowControl": True, "dataLayer": False},
    "profileHandler": {"pluginRef": "header"},
    "plugins": [
        {"type": "header-profile-handler", "name": "header", "parameters": {"defaultProfile": "a"}},
        {"type": "queue-scorer"},
        {"type": "kv-cache-utilization-scorer"},
        {"type": "random"},
    ],
    "schedulingProfiles": [
        {
            "name": "a",
            "candidates": "endpoints",
            "plugins": [
                {"pluginRef": "queue-scorer", "level": 0},
                {"pluginRef": "kv-cache-utilization-scorer", "level": 1},
            ],
        },
        {"name": "b", "plugins": [{"pluginRef": "random"}]},
    ],
    "flowControl": {"defaultRequestTTLSeconds": 1.5},
}

REGISTRY = Registry(builtins())


def picker(*plugins, profiles=None, **parts):
    """An EndpointPickerConfig; plugins are types or whole entries, and all scorers stand in one profile."""
    entries = [{"type": each} if isinstance(each, str) else each for each in plugins]
    given = [profile("default", *(each for each in plugins if isinstance(each, str) and each.endswith("-scorer")))]
    listed = {"schedulingProfiles": given if profiles is None else profiles}
    return {
        "apiVersion": "llm-d.ai/v1alpha1", "kind": "EndpointPickerConfig", "plugins": entries, **listed, **parts,
    }  # fmt: skip


def profile(name, *references):
    """A profile; references are names, or names with weights."""
    uses = [each if isinstance(each, tuple) else (each, None) for each in references]
    return {"name": name, "plugins": [{"pluginRef": ref, "weight": weight} for ref, weight in uses]}


def told(type_, name=None, **parameters):
    """An entry of `plugins`."""
    return {"type": type_, "name": name, "parameters": parameters}


def read(document):
    return read_routing_config(document, REGISTRY)


def problems(document):
    """Place and message of every problem."""
    try:
        read(document)
    except ConfigError as error:
        return {each.place: each.message for each in error.problems}
    return {}


def warnings(document):
    """Place and message of every warning of a document without problems."""
    return {each.place: each.message for each in read(document).warnings}


def plugins_of(document):
    """The entries of the native document by name."""
    return {each["name"]: each for each in read(document).document()["plugins"]}


def weights_of(document):
    """The profiles of the native document: weights by reference."""
    return {
        each["name"]: {use["pluginRef"]: use.get("weight") for use in each["plugins"]}
        for each in read(document).document()["schedulingProfiles"]
    }
