"""The KV cache: bytes for so many tokens, by layer, head and kind of number."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from bayplan.framework.errors import InputError
from bayplan.framework.nearest import did_you_mean

if TYPE_CHECKING:
    from bayplan.sizing.engine import Engine
    from bayplan.sizing.facts import Attention

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


def value_bytes(dtype: str | None, place: str = "") -> Fraction:
    """Bytes of one cached number; 16 bits unless somebody asks for another kind, whatever the weights are."""
    if dtype is None:
        return Fraction(2)
    found = _BYTES.get(dtype.casefold().replace("-", "_"))
    if found is None:
        raise InputError(f"{dtype!r} is no kind of KV cache", place=place, next=did_you_mean(dtype, _BYTES))
    return found


def engine_value_bytes(engine: Engine) -> Fraction:
    """As the engine's flags say; llama.cpp may keep keys and values differently, and then their mean counts."""
    keys = value_bytes(engine.kv_dtype, "backend.args")
    return keys if engine.name != "llama-cpp" else (keys + value_bytes(engine.v_dtype, "backend.args")) / 2


def kv_cache_bytes(attention: Attention, context: int, concurrency: int, each: Fraction) -> int:
    """Bytes of a whole replica at tensor parallel 1.

    A layer with a window keeps no more tokens of a sequence than the window.
    """
    tokens = sum(
        layers.count * layers.values_per_token * (context if layers.window is None else min(context, layers.window))
        for layers in attention
    )
    return -(-tokens * concurrency * each.numerator // each.denominator)
