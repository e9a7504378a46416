"""Which metrics an engine has, and what each of them means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

ENGINE_LABELS: Final = ("llm-d.ai/engine-type", "inference.networking.k8s.io/engine-type")
"""Labels of an endpoint that name its engine; the first that is there counts."""
DEFAULT_ENGINE: Final = "vllm"


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """The series of a metric that have all these labels."""

    name: str
    labels: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        written = ",".join(f'{key}="{value}"' for key, value in self.labels)
        return f"{self.name}{{{written}}}" if written else self.name


@dataclass(frozen=True, slots=True)
class LabelSpec:
    """A number that stands in a label of a metric: in the first of these labels that a series has."""

    metric: MetricSpec
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Engine:
    """Where each value is found; None or empty where the engine does not tell it.

    `usage`: the first of these metrics that the text has. `loras`: a metric with vLLM's labels of adapters; its newest
    series counts.
    """

    name: str
    waiting: MetricSpec | None = None
    running: MetricSpec | None = None
    usage: tuple[MetricSpec, ...] = ()
    block_size: MetricSpec | LabelSpec | None = None
    blocks: MetricSpec | LabelSpec | None = None
    loras: MetricSpec | None = None
    attributes: tuple[tuple[str, MetricSpec], ...] = ()


def _triton(name: str) -> Engine:
    requests, blocks = "nv_trt_llm_request_metrics", "nv_trt_llm_kv_cache_block_metrics"
    kind = "kv_cache_block_type"
    return Engine(
        name,
        waiting=MetricSpec(requests, (("request_type", "waiting"),)),
        running=MetricSpec(requests, (("request_type", "scheduled"),)),
        usage=(MetricSpec(blocks, ((kind, "fraction"),)),),
        block_size=MetricSpec(blocks, ((kind, "tokens_per"),)),
        blocks=MetricSpec(blocks, ((kind, "max"),)),
    )


BUILT_IN: Final[Mapping[str, Engine]] = {
    each.name: each
    for each in (
        Engine(
            "vllm",
            waiting=MetricSpec("vllm:num_requests_waiting"),
            running=MetricSpec("vllm:num_requests_running"),
            usage=(MetricSpec("vllm:kv_cache_usage_perc"), MetricSpec("vllm:gpu_cache_usage_perc")),
            block_size=LabelSpec(MetricSpec("vllm:cache_config_info"), ("block_size",)),
            blocks=LabelSpec(MetricSpec("vllm:cache_config_info"), ("num_gpu_blocks",)),
            loras=MetricSpec("vllm:lora_requests_info"),
        ),
        Engine(
            "sglang",
            waiting=MetricSpec("sglang:num_queue_reqs"),
            running=MetricSpec("sglang:num_running_reqs"),
            usage=(MetricSpec("sglang:token_usage"),),
            block_size=LabelSpec(MetricSpec("sglang:cache_config_info"), ("page_size",)),
            blocks=LabelSpec(MetricSpec("sglang:cache_config_info"), ("num_pages",)),
        ),
        Engine(
            "trtllm-serve",
            waiting=MetricSpec("trtllm_num_requests_waiting"),
            running=MetricSpec("trtllm_num_requests_running"),
            usage=(MetricSpec("trtllm_kv_cache_utilization"),),
            block_size=MetricSpec("trtllm_kv_cache_tokens_per_block"),
            blocks=MetricSpec("trtllm_kv_cache_max_blocks"),
        ),
        Engine(
            "llama-cpp",
            waiting=MetricSpec("llamacpp:requests_deferred"),
            running=MetricSpec("llamacpp:requests_processing"),
            usage=(MetricSpec("llamacpp:kv_cache_usage_ratio"),),
        ),
        _triton("triton-tensorrt-llm"),
        _triton("triton"),
    )
}
"""Engines that are known without a configuration."""


def engine_named(name: str, own: Mapping[str, Engine] | None = None) -> Engine:
    """An engine of a configuration, else a built-in one."""
    known = {**BUILT_IN, **(own or {})}
    found = known.get(name)
    if found is None:
        following = f"{did_you_mean(name, known)} Or define it in engineConfigs of a core-metrics-extractor"
        raise InputError(f"no engine is called {name[:80]!r}", place="engine", next=following)
    return found
