from fractions import Fraction

import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.engine import Engine
from bayplan.sizing.facts import KvLayers
from bayplan.sizing.kv_cache import engine_value_bytes, kv_cache_bytes, value_bytes

KINDS = {None: 2, "bf16": 2, "FP16": 2, "auto": 2, "fp8": 1, "fp8-e4m3": 1, "fp32": 4, "q8_0": Fraction(17, 16)}


@pytest.mark.parametrize(("dtype", "size"), KINDS.items())
def test_bytes_of_a_value(dtype, size):
    assert value_bytes(dtype) == size


def test_an_unknown_kind_is_refused():
    with pytest.raises(InputError, match=r"kvDtype: 'fp9' is no kind of KV cache; did you mean 'fp8'\?"):
        value_bytes("fp9", "kvDtype")


def test_llama_cpp_keeps_keys_and_values_apart():
    assert engine_value_bytes(Engine("llama-cpp", kv_dtype="q8_0")) == Fraction(49, 32)
    assert engine_value_bytes(Engine("vllm", kv_dtype="fp8")) == 1


CACHES = {
    "every token of every layer": ((KvLayers(32, 2048),), 8192, 4, 4 * 2**30),
    "no more than the window":    ((KvLayers(32, 2048, 4096),), 32768, 2, 2**30),
    "less than the window":       ((KvLayers(32, 2048, 4096),), 1024, 1, 2**27),
    "some layers look far":       ((KvLayers(5, 8, 16), KvLayers(1, 8)), 100, 1, 2 * 8 * (5 * 16 + 100)),
    "nothing":                    ((), 8192, 4, 0),
}  # fmt: skip


@pytest.mark.parametrize(("attention", "context", "concurrency", "expected"), CACHES.values(), ids=CACHES)
def test_bytes_of_a_cache(attention, context, concurrency, expected):
    assert kv_cache_bytes(attention, context, concurrency, Fraction(2)) == expected


def test_a_part_of_a_byte_is_a_byte():
    assert kv_cache_bytes((KvLayers(1, 1),), 1, 1, Fraction(18, 32)) == 1
