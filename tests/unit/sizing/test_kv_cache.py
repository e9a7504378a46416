from fractions import Fraction

import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.engine import Engine
from bayplan.sizing.facts import KvLayers
from bayplan.sizing.kv_cache import engine_value_bytes, kept_tokens, kv_cache_bytes, value_bytes

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


WINDOW, CHUNK = KvLayers(1, 1, 4096), KvLayers(1, 1, 8192, in_chunks=True)
TOKENS = {
    "all the way back":         (KvLayers(1, 1), Engine("vllm"), "mistral", 8192, 32768),
    "a window and two steps":   (WINDOW, Engine("vllm"), "mistral", 8192, 4095 + 16384),
    "short steps":              (WINDOW, Engine("vllm"), "mistral", 2048, 4095 + 4096),
    "no more than the context": (WINDOW, Engine("vllm"), "mistral", 16384, 32768),
    "custom is the same":       (WINDOW, Engine("custom"), "mistral", 2048, 4095 + 4096),
    "a chunk and two steps":    (CHUNK, Engine("vllm"), "llama4", 8192, 8192 + 16384),
    "windows switched off":     (WINDOW, Engine("vllm", keeps_windows=False), "mistral", 2048, 32768),
    "SGLang promises nothing":  (WINDOW, Engine("sglang"), "mistral", 2048, 32768),
    "llama.cpp":                (KvLayers(1, 1, 2000), Engine("llama-cpp"), "gemma2", 512, 2560),
    "llama.cpp, other kinds":   (WINDOW, Engine("llama-cpp"), "phi3", 512, 32768),
    "llama.cpp, whole windows": (WINDOW, Engine("llama-cpp", keeps_windows=False), "gemma2", 512, 32768),
    "frames":                   (KvLayers(1, 1, fixed_tokens=1500), Engine("sglang"), "whisper", 1, 1500),
}  # fmt: skip


@pytest.mark.parametrize(("layers", "engine", "kind", "step", "tokens"), TOKENS.values(), ids=TOKENS)
def test_tokens_that_a_layer_keeps(layers, engine, kind, step, tokens):
    assert kept_tokens(layers, 32768, engine, kind, step) == tokens


CACHES = {
    "every token of every layer": ((KvLayers(32, 2048),), [8192], Fraction(2), 2**30),
    "groups of layers":           ((KvLayers(5, 8, 16), KvLayers(1, 8)), [16, 100], Fraction(2), 2 * 8 * (80 + 100)),
    "an index in any cache":      ((KvLayers(2, 8, index_bytes=132),), [10], Fraction(1), 160 + 2640),
    "nothing":                    ((), [], Fraction(2), 0),
    "a part of a byte is a byte": ((KvLayers(1, 1),), [1], Fraction(18, 32), 1),
}  # fmt: skip


@pytest.mark.parametrize(("attention", "tokens", "each", "expected"), CACHES.values(), ids=CACHES)
def test_bytes_of_a_cache(attention, tokens, each, expected):
    assert kv_cache_bytes(attention, tokens, each) == expected
