"""The metrics of an engine, with the names and labels that vLLM gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayplan.sim.engine.histogram import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bayplan.sim.engine.batching.sequence import Sequence
    from bayplan.sim.engine.batching.simulated_engine import SimulatedEngine

REASONS: Final = ("stop", "length", "abort", "error")

_FIRST_TOKEN_S = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0),
    *(160.0, 640.0, 2560.0),
)
_TOKEN_S = (
    *(0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0),
)
_REQUEST_S = (
    *(0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0),
    *(1920.0, 7680.0),
)


class Metrics:
    """What finished requests leave behind, and the text of everything."""

    def __init__(self, engine: SimulatedEngine, model: str, *, has_prefix_cache: bool = True) -> None:
        self._engine = engine
        self._labels = f'engine="0",model_name="{escape(model)}"'
        self.finished = dict.fromkeys(REASONS, 0)
        self._first_token = self._seconds("time_to_first_token", "Time to first token", _FIRST_TOKEN_S)
        self._token = self._seconds("time_per_output_token", "Time per output token", _TOKEN_S)
        self._gap = self._seconds("inter_token_latency", "Time between tokens", _TOKEN_S)
        self._mean = self._seconds("request_time_per_output_token", "Mean time per output token", _TOKEN_S)
        self._whole = self._seconds("e2e_request_latency", "Time from arrival to last token", _REQUEST_S)
        self._queue = self._seconds("request_queue_time", "Time in the queue", _REQUEST_S)
        self._inference = self._seconds("request_inference_time", "Time from admission to last token", _REQUEST_S)
        self._prefill = self._seconds("request_prefill_time", "Time from admission to first token", _REQUEST_S)
        self._decode = self._seconds("request_decode_time", "Time from first to last token", _REQUEST_S)
        counts = _counts(max(1, engine.limits.blocks * engine.limits.block_tokens))
        self._prompts = self._histogram("request_prompt_tokens", "Tokens of prompts", counts)
        self._outputs = self._histogram("request_generation_tokens", "Tokens of answers", counts)
        self._histograms = (
            *(self._first_token, self._token, self._gap, self._mean, self._whole, self._queue, self._inference),
            *(self._prefill, self._decode, self._prompts, self._outputs),
        )
        limits = engine.limits
        self._info = _family("cache_config_info", "gauge", "What the KV cache is") + (
            f'vllm:cache_config_info{{block_size="{limits.block_tokens}",cache_dtype="auto",'
            f'enable_prefix_caching="{has_prefix_cache}",engine="0",num_gpu_blocks="{limits.blocks}"}} 1.0\n'
        )

    def first_token(self, seconds: float) -> None:
        """Count a first token."""
        self._first_token.observe(seconds)

    def request(self, sequence: Sequence, reason: str, lost_s: float = 0.0) -> None:
        """Count a request that was answered whole; `lost_s` is what a hanging engine added."""
        self.finished[reason] += 1
        admitted_s, first_s, finished_s = sequence.admitted_s, sequence.first_token_s, sequence.finished_s
        if admitted_s is None or first_s is None or finished_s is None:
            return
        decode_s, tokens = finished_s - first_s, sequence.output_tokens
        self._whole.observe(finished_s - sequence.arrived_s + lost_s)
        self._queue.observe(admitted_s - sequence.arrived_s)
        self._inference.observe(finished_s - admitted_s)
        self._prefill.observe(first_s - admitted_s)
        self._decode.observe(decode_s)
        self._prompts.observe(sequence.prompt_tokens)
        self._outputs.observe(tokens)
        if tokens > 1:  # the gaps of a request are counted as equal: their mean is exact
            gap_s = decode_s / (tokens - 1)
            self._mean.observe(gap_s)
            self._gap.observe(gap_s, tokens - 1)
            self._token.observe(gap_s, tokens - 1)

    def text(self, now_unix_s: float, waiting_adapters: Iterable[str] = (), *, nan: bool = False) -> str:
        """The whole exposition; with `nan` the gauges are not numbers."""
        engine, labels = self._engine, self._labels
        gauges = (
            ("num_requests_running", "Requests in the batch", len(engine.running)),
            ("num_requests_waiting", "Requests that wait", len(engine.waiting)),
            ("kv_cache_usage_perc", "Share of KV blocks in use, 1 is all", engine.usage),
        )
        counters = (
            ("num_preemptions_total", "Requests that gave their blocks back", engine.preemptions),
            ("prompt_tokens_total", "Tokens of prompts processed", engine.prompt_tokens),
            ("generation_tokens_total", "Tokens generated", engine.generated_tokens),
            ("prefix_cache_queries_total", "Tokens looked for in the prefix cache", engine.queried_prompt_tokens),
            ("prefix_cache_hits_total", "Tokens found in the prefix cache", engine.cached_prompt_tokens),
        )
        parts = [self._info]
        for name, says, value in gauges:
            shown = float("nan") if nan else float(value)
            parts.append(f"{_family(name, 'gauge', says)}vllm:{name}{{{labels}}} {_number(shown)}\n")
        for name, says, count in counters:
            parts.append(f"{_family(name, 'counter', says)}vllm:{name}{{{labels}}} {float(count)}\n")
        parts.append(_family("request_success_total", "counter", "Requests by how they ended"))
        for reason, count in self.finished.items():
            parts.append(f'vllm:request_success_total{{{labels},finished_reason="{reason}"}} {float(count)}\n')
        if engine.limits.adapters:
            parts.append(self._adapters(now_unix_s, waiting_adapters))
        parts += [histogram.text() for histogram in self._histograms]
        return "".join(parts)

    def _adapters(self, now_unix_s: float, waiting: Iterable[str]) -> str:
        running = ",".join(map(escape, self._engine.adapters.in_use))
        return _family("lora_requests_info", "gauge", "Adapters of running and waiting requests") + (
            f'vllm:lora_requests_info{{max_lora="{self._engine.limits.adapters}",running_lora_adapters="{running}",'
            f'waiting_lora_adapters="{",".join(map(escape, waiting))}"}} {now_unix_s}\n'
        )

    def _seconds(self, name: str, says: str, bounds: tuple[float, ...]) -> Histogram:
        return self._histogram(f"{name}_seconds", f"{says}, in seconds", bounds)

    def _histogram(self, name: str, says: str, bounds: tuple[float, ...]) -> Histogram:
        return Histogram(f"vllm:{name}", self._labels, says, bounds)


def escape(value: str) -> str:
    """A label's value as the text format of Prometheus writes it."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _family(name: str, kind: str, says: str) -> str:
    return f"# HELP vllm:{name} {says}\n# TYPE vllm:{name} {kind}\n"


def _number(value: float) -> str:
    return "NaN" if value != value else repr(value)  # noqa: PLR0124 (only NaN differs from itself)


def _counts(most: int) -> tuple[float, ...]:
    """1, 2, 5, 10, ... up to the longest request."""
    found: list[float] = []
    scale = 1
    while True:
        for digit in (1, 2, 5):
            if digit * scale > most:
                return tuple(found)
            found.append(digit * scale)
        scale *= 10
