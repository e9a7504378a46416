"""`bayplan engine`: a simulated model server with OpenAI's API and vLLM's metrics."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bayplan.cli.engine_flags import AdapterFlags, FaultFlags, SizeFlags, SpeedFlags
from bayplan.cli.text import one_line, write
from bayplan.framework.errors import InputError
from bayplan.sim.engine.faults import LONGEST_S, Faults, MetricsFault
from bayplan.sim.engine.server import serve
from bayplan.sim.engine.settings import Settings, Sizes, profile_named, read_adapter, read_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayplan.sim.engine.batching.timing import Profile


def engine(
    *words: Annotated[
        str,
        Parameter(
            help="The model, unless --model names it. Flags of vLLM that mean nothing here are ignored.",
            allow_leading_hyphen=True,
        ),
    ],
    model: Annotated[str | None, Parameter(help="The model to pretend to be.")] = None,
    served_model_name: Annotated[
        tuple[str, ...],
        Parameter(
            help="Names of the model in requests; the model itself by default.", consume_multiple=True, negative=()
        ),
    ] = (),
    host: Annotated[str, Parameter(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Parameter(help="The port; 0 takes a free one.")] = 8000,
    sizes: SizeFlags | None = None,
    adapters: AdapterFlags | None = None,
    speeds: SpeedFlags | None = None,
    faults: FaultFlags | None = None,
    output_tokens: Annotated[int, Parameter(help="Tokens of an answer to a chat that sets no limit.")] = 64,
    seed: Annotated[int, Parameter(help="Decides the words of answers and which requests fail.")] = 0,
    load_seconds: Annotated[float, Parameter(help="Time until the model is loaded and /health says so.")] = 0.0,
    drain_seconds: Annotated[float, Parameter(help="Time that requests get to end after SIGTERM.")] = 5.0,
) -> None:
    """Serve a simulated model until Ctrl-C: no GPU, no weights, the times and gauges of a real engine.

    It prints `listening URL`, and `ready URL` once the model is loaded. vLLM's flags are understood, so that a command
    for vLLM also starts it.
    """
    name, ignored = _model(words, model)
    if ignored:
        sys.stderr.write(f"note: ignored, because nothing is simulated by it: {one_line(' '.join(ignored))}\n")
    sizes, adapters = sizes or SizeFlags(), adapters or AdapterFlags()
    profile = _profile(speeds or SpeedFlags())
    _at_least(0, load_seconds=load_seconds, drain_seconds=drain_seconds)
    _at_least(1, output_tokens=output_tokens)
    wanted = _sizes(sizes, adapters)
    limits = wanted.limits(profile)
    settings = Settings(
        names=served_model_name or (name,),
        profile=profile,
        limits=limits,
        model_tokens=wanted.context(profile, limits),
        root=name,
        adapters=tuple(map(read_adapter, adapters.lora_modules)) if adapters.enable_lora else (),
        has_prefix_cache=sizes.enable_prefix_caching,
        output_tokens=output_tokens,
        seed=seed,
        load_s=load_seconds,
        drain_s=drain_seconds,
        faults=_faults(faults or FaultFlags()),
    )
    serve(settings, host, port, _say)


def _at_least(least: int, **flags: float) -> None:
    for name, value in flags.items():
        if not least <= value < LONGEST_S:
            raise InputError(f"{value} is less than {least}" if value < least else "is too large", place=_flag(name))


def _say(line: str) -> None:
    with suppress(OSError):  # nobody reads it any more, which is no reason to stop serving
        write(f"{line}\n")
        sys.stdout.flush()


def _model(words: Sequence[str], model: str | None) -> tuple[str, list[str]]:
    """The model's name, and the words that mean nothing to a simulation; `serve` is vLLM's own word."""
    rest = list(words[1:] if words[:1] == ("serve",) else words)
    if rest and not rest[0].startswith("-"):
        first = rest.pop(0)
        if model is not None:
            raise InputError(f"--model and {first[:80]!r} both name a model", place="bayplan engine", next="name one")
        model = first
    if not model:
        raise InputError("no model is named", place="bayplan engine", next="add --model NAME")
    return model, rest


def _profile(flags: SpeedFlags) -> Profile:
    given_s = {
        "base_s": (flags.step_ms, 1e-3),
        "prefill_s": (flags.prefill_us, 1e-6),
        "position_s": (flags.position_ns, 1e-9),
        "context_s": (flags.context_ns, 1e-9),
        "adapter_load_s": (flags.adapter_load_ms, 1e-3),
    }
    for name, value in asdict(flags).items():
        if isinstance(value, float) and not 0 <= value < 1e9:
            raise InputError(f"{value} is out of range", place=_flag(name))
    if not flags.speed:
        raise InputError("must be more than 0", place="--speed")
    chosen = {name: None if value is None else value * unit for name, (value, unit) in given_s.items()}
    profile = profile_named(flags.profile).with_timing(**chosen)
    if not profile.timing.base_s:
        raise InputError("must be more than 0", place="--step-ms", next="steps without a length never end")
    return profile.faster(flags.speed)


def _sizes(sizes: SizeFlags, adapters: AdapterFlags) -> Sizes:
    kv_bytes, tokens = sizes.kv_cache_memory_bytes, sizes.max_model_len
    if adapters.enable_lora and adapters.max_loras < 1:
        raise InputError(f"{adapters.max_loras} is less than 1", place="--max-loras")
    return Sizes(
        block_tokens=sizes.block_size,
        blocks=sizes.num_gpu_blocks_override,
        kv_bytes=None if kv_bytes is None else read_number(kv_bytes, "--kv-cache-memory-bytes"),
        model_tokens=None if tokens is None else read_number(tokens, "--max-model-len"),
        step_tokens=sizes.max_num_batched_tokens,
        sequences=sizes.max_num_seqs,
        adapters=adapters.max_loras if adapters.enable_lora else 0,
    )


def _faults(flags: FaultFlags) -> Faults:
    given = asdict(flags)
    try:
        return Faults(**{**given, "metrics": MetricsFault(flags.metrics)})
    except InputError as problem:
        raise InputError(problem.message, place=_flag(problem.place), next=problem.next) from None


def _flag(field: str) -> str:
    return f"--{field.replace('_', '-')}"
