"""Figures of engines from their metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayplan.framework.errors import InputError
from bayplan.routing.exposition.engine_configs import read_engines
from bayplan.routing.plugin_kinds import EXTRACTOR

if TYPE_CHECKING:
    from bayplan.routing.exposition.engine import Engine


@dataclass(frozen=True, slots=True)
class CustomMetric:
    """A metric that becomes an attribute of the endpoint.

    Parameters:
        attribute_key: the attribute's name.
        metric_spec: the metric, as `name{label=value}`.
    """

    attribute_key: str
    metric_spec: str

    def document(self) -> dict[str, Any]:
        """As a document holds it."""
        return {"attributeKey": self.attribute_key, "metricSpec": self.metric_spec}


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """An engine by its metrics, each as `name{label=value}`; empty where it has none.

    Parameters:
        name: the engine's name.
        queued_requests_spec: requests that wait.
        running_requests_spec: requests that run.
        kv_usage_spec: the used share of the KV cache.
        lora_spec: the metric whose labels name LoRA adapters.
        cache_info_spec: the metric whose labels tell the size and number of blocks.
        custom_metrics: metrics that become attributes.
    """

    name: str
    queued_requests_spec: str = ""
    running_requests_spec: str = ""
    kv_usage_spec: str = ""
    lora_spec: str = ""
    cache_info_spec: str = ""
    custom_metrics: tuple[CustomMetric, ...] = ()

    def __post_init__(self) -> None:
        _, problems = read_engines([self.document()], "engine")
        for problem in problems:
            _, _, field = problem.place.partition(".")
            raise InputError(problem.message, place=field.partition("[")[0], next=problem.next)

    def document(self) -> dict[str, Any]:
        """As a document holds it."""
        return {
            "name": self.name,
            "queuedRequestsSpec": self.queued_requests_spec,
            "runningRequestsSpec": self.running_requests_spec,
            "kvUsageSpec": self.kv_usage_spec,
            "loraSpec": self.lora_spec,
            "cacheInfoSpec": self.cache_info_spec,
            "customMetrics": [each.document() for each in self.custom_metrics],
        }


@dataclass(frozen=True, slots=True)
class CoreMetricsExtractor:
    """Reads queue, running requests and KV cache out of an engine's metrics; their names depend on the engine.

    Parameters:
        engine_label_key: the label of an endpoint that names its engine.
        default_engine: the engine of endpoints without the label.
        engine_configs: engines of one's own, or built-in ones under other names of metrics.
    """

    engine_label_key: str = "llm-d.ai/engine-type"
    default_engine: str = "vllm"
    engine_configs: tuple[EngineConfig, ...] = ()

    name = "core-metrics-extractor"
    kinds = (EXTRACTOR,)

    def engines(self) -> dict[str, Engine]:
        """The engines that the configuration defines, by name."""
        return read_engines([each.document() for each in self.engine_configs], "engineConfigs")[0]
