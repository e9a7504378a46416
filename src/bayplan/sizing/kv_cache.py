"""Bytes of the KV cache by tokens, layers, heads and data type; and bytes of states of fixed size."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean
from bayplan.sizing.families import LLAMA_CPP_WINDOWS

if TYPE_CHECKING:
    from bayplan.sizing.engine import Engine
    from bayplan.sizing.facts import Attention, KvLayers, States

_BYTES: dict[str, Fraction] = {
    **dict.fromkeys(("auto", "bf16", "bfloat16", "fp16", "float16", "f16", "half"), Fraction(2)),
    **dict.fromkeys(("fp32", "float32", "f32", "float"), Fraction(4)),
    **dict.fromkeys(("fp8", "fp8_e4m3", "fp8_e5m2", "float8", "fp8_inc", "int8"), Fraction(1)),
    **dict.fromkeys(("int4", "fp4"), Fraction(1, 2)),
    "fp8_ds_mla": Fraction(656, 576),
    "nvfp4": Fraction(9, 16),
    "fp4_e2m1": Fraction(17, 32),
    "q8_0": Fraction(34, 32),
    "q5_1": Fraction(24, 32),
    "q5_0": Fraction(22, 32),
    "q4_1": Fraction(20, 32),
    "q4_0": Fraction(18, 32),
    "iq4_nl": Fraction(18, 32),
}
STEPS_UNDER_WAY = 2
"""vLLM schedules a step while another runs, and a windowed layer keeps the tokens of both."""

LLAMA_CPP_PADDING = 256  # llama.cpp rounds windowed caches up to this many tokens
LLAMA_CPP_STATE_BYTES = 4  # llama.cpp keeps states as 32-bit floats


def value_bytes(dtype: str | None, place: str = "") -> Fraction:
    """Bytes of one cached number; 16 bits unless another type is asked for. The type of the weights does not matter."""
    if dtype is None:
        return Fraction(2)
    found = _BYTES.get(dtype.casefold().replace("-", "_"))
    if found is None:
        raise InputError(f"{dtype!r} is no kind of KV cache", place=place, next=did_you_mean(dtype, _BYTES))
    return found


def engine_value_bytes(engine: Engine) -> Fraction:
    """Bytes by the flags of the engine; where llama.cpp stores keys and values in two types, their mean."""
    keys = value_bytes(engine.kv_dtype, "backend.args")
    return keys if engine.name != "llama-cpp" else (keys + value_bytes(engine.v_dtype, "backend.args")) / 2


def uses_windows(engine: Engine, kind: str) -> bool:
    """Whether a layer with a window keeps less than the context in this engine.

    In SGLang it does not: the pool for such layers is a share of the pool for all others.
    """
    if engine.name == "llama-cpp":
        return engine.keeps_windows and kind in LLAMA_CPP_WINDOWS
    return engine.keeps_windows and engine.name != "sglang"


def kept_tokens(layers: KvLayers, context: int, engine: Engine, kind: str, step_tokens: int) -> int:
    """Tokens of one sequence that such a layer keeps."""
    if layers.fixed_tokens is not None:
        return layers.fixed_tokens
    if layers.window is None or not uses_windows(engine, kind):
        return context
    if engine.name == "llama-cpp":
        return min(context, -(-(layers.window + step_tokens) // LLAMA_CPP_PADDING) * LLAMA_CPP_PADDING)
    reach = layers.window if layers.in_chunks else layers.window - 1
    return min(context, reach + STEPS_UNDER_WAY * step_tokens)


def kv_cache_bytes(attention: Attention, tokens: list[int], each: Fraction) -> int:
    """Bytes of one sequence at tensor parallel 1; `tokens` has one number per group of layers."""
    values = sum(layers.count * layers.values_per_token * kept for layers, kept in zip(attention, tokens, strict=True))
    index = sum(layers.count * layers.index_bytes * kept for layers, kept in zip(attention, tokens, strict=True))
    return -(-values * each.numerator // each.denominator) + index


def state_bytes(states: States, engine: Engine) -> int:
    """Bytes of the states of one sequence."""
    if engine.name == "llama-cpp":
        return sum(layers.count * LLAMA_CPP_STATE_BYTES * (layers.values + layers.conv_values) for layers in states)
    return sum(layers.count * (layers.values * layers.value_bytes + 2 * layers.conv_values) for layers in states)
