"""The flags of `bayplan engine`, in groups: what vLLM has too, what is simulated, and what goes wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class SizeFlags:
    """What the engine holds; names and meanings are vLLM's."""

    block_size: Annotated[int, Parameter(help="Tokens of a KV block.")] = 16
    num_gpu_blocks_override: Annotated[int | None, Parameter(help="KV blocks; the profile's by default.")] = None
    kv_cache_memory_bytes: Annotated[
        str | None, Parameter(help="Memory of the KV cache, such as 20Gi, in place of a number of blocks.")
    ] = None
    max_model_len: Annotated[
        str | None, Parameter(help="Longest prompt and answer together, in tokens; longer ones are refused.")
    ] = None
    max_num_batched_tokens: Annotated[int | None, Parameter(help="Tokens of one step; the profile's by default.")] = (
        None
    )
    max_num_seqs: Annotated[int | None, Parameter(help="Requests that run at once; 256 by default.")] = None
    enable_prefix_caching: Annotated[bool, Parameter(help="Reuse the blocks of prompts that begin alike.")] = True


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class AdapterFlags:
    """LoRA adapters; names and meanings are vLLM's."""

    enable_lora: Annotated[bool, Parameter(help="Serve LoRA adapters.", negative=())] = False
    max_loras: Annotated[int, Parameter(help="Adapters of requests that run at once.")] = 1
    lora_modules: Annotated[
        tuple[str, ...],
        Parameter(help="Adapters that are there from the start: NAME=PATH.", consume_multiple=True, negative=()),
    ] = ()


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class SpeedFlags:
    """How long steps take: base + prefill + decode."""

    profile: Annotated[str, Parameter(help="A kind of engine whose times and memory are used: 8b or 70b.")] = "8b"
    speed: Annotated[float, Parameter(help="How many times as fast as the profile everything is.")] = 1.0
    step_ms: Annotated[float | None, Parameter(help="Base time of a step, in milliseconds.")] = None
    prefill_us: Annotated[float | None, Parameter(help="Time of a prompt token, in microseconds.")] = None
    position_ns: Annotated[
        float | None, Parameter(help="Added to a prompt token for each token before it, in nanoseconds.")
    ] = None
    context_ns: Annotated[
        float | None, Parameter(help="Time of an output token for each token before it, in nanoseconds.")
    ] = None
    adapter_load_ms: Annotated[float | None, Parameter(help="Time to load an adapter, in milliseconds.")] = None


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class FaultFlags:
    """What goes wrong on purpose; POST /faults changes it while the engine runs."""

    fail_rate: Annotated[float, Parameter(help="The share of requests that fail, 0 to 1.")] = 0.0
    fail_status: Annotated[int, Parameter(help="What they fail with: 429, 500 or 503.")] = 500
    slowdown: Annotated[float, Parameter(help="How many times as long everything takes.")] = 1.0
    hang: Annotated[bool, Parameter(help="Take requests and never answer them.", negative=())] = False
    mute: Annotated[bool, Parameter(help="Answer nothing at all, /health included.", negative=())] = False
    crash_after_requests: Annotated[int | None, Parameter(help="End the process with the request after these.")] = None
    crash_after_tokens: Annotated[int | None, Parameter(help="End the process at this output token.")] = None
    cut_after_tokens: Annotated[int | None, Parameter(help="Break each answer off at this token.")] = None
    metrics: Annotated[
        Literal["live", "frozen", "nan"], Parameter(help="What /metrics shows: the truth, the past, or NaN.")
    ] = "live"
