from fractions import Fraction

import pytest

from bayplan.cluster.workload import Backend
from bayplan.framework.errors import InputError
from bayplan.sizing.engine import CUSTOM, Engine, engine_name, read_engine

READ = {
    "one word":               ("vllm", ["--tensor-parallel-size=4"], {"tp": 4}),
    "two words":              ("vllm", ["--tensor-parallel-size", "4"], {"tp": 4}),
    "two words in one":       ("vllm", ["--tensor-parallel-size 4"], {"tp": 4}),
    "underscores":            ("vllm", ["--tensor_parallel_size=4"], {"tp": 4}),
    "short":                  ("vllm", ["-tp", "2", "-pp=3", "-dp", "2"], {"tp": 2, "pp": 3, "dp": 2}),
    "the last counts":        ("vllm", ["-tp", "2", "--tensor-parallel-size=8"], {"tp": 8}),
    "local copies":           ("vllm", ["--data-parallel-size=2", "--data-parallel-size-local=1"], {"dp": 2}),
    "context parallel":       ("vllm", ["--prefill-context-parallel-size=2", "-dp=2"], {"dp": 4}),
    "unknown flags":          ("vllm", ["--foo", "--bar=1", "word"], {}),
    "SGLang's sizes":         ("sglang", ["--tp-size=16", "--pp-size", "3", "--dp=2"], {"tp": 16, "pp": 3, "dp": 2}),
    "attention inside tp":    ("sglang", ["--tp=8", "--dp=8", "--enable-dp-attention"], {"tp": 8}),
    "vLLM knows no --tp":     ("vllm", ["--tp=4"], {}),
    "custom knows nothing":   ("custom", ["--tensor-parallel-size=zero"], {}),
    "vLLM's tokens":          (
        "vllm", ["--max-model-len=32k", "--max-num-seqs=64", "--max-num-batched-tokens=2048"],
        {"context": 32000, "concurrency": 64, "batch_tokens": 2048},
    ),
    "the model's own":        ("vllm", ["--max-model-len=auto"], {}),
    "SGLang's tokens":        ("sglang", ["--context-length=8192", "--chunked-prefill-size=-1"],
                               {"context": 8192, "chunked_prefill": False}),
    "a kind of cache":        ("sglang", ["--kv-cache-dtype=fp8_e5m2"], {"kv_dtype": "fp8_e5m2"}),
    "llama.cpp":              (
        "llama-cpp", ["-c", "4096", "-np", "4", "-ngl", "20", "-ub", "256", "-ctk", "q8_0", "-ctv", "q4_0"],
        {"context": 4096, "concurrency": 4, "gpu_layers": 20, "ubatch_tokens": 256, "kv_dtype": "q8_0",
         "v_dtype": "q4_0"},
    ),
    "no graphs":              ("vllm", ["--enforce-eager"], {"eager": True}),
    "no graphs of SGLang":    ("sglang", ["--disable-cuda-graph"], {"eager": True}),
    "graphs after all":       ("vllm", ["--enforce_eager", "--no-enforce-eager"], {}),
    "texts in one step":      ("vllm", ["--no-enable-chunked-prefill"], {"chunked_prefill": False}),
    "the older word for it":  ("vllm", ["--enable-chunked-prefill", "False"], {"chunked_prefill": False}),
    "whole experts":          ("vllm", ["--enable-expert-parallel"], {"whole_experts": True}),
    "SGLang's experts":       ("sglang", ["--ep-size=8"], {"whole_experts": True}),
    "experts of one rank":    ("sglang", ["--ep-size=1"], {}),
    "a whole tower":          ("vllm", ["--mm-encoder-tp-mode", "data"], {"whole_tower": True}),
    "a tower that is cut":    ("vllm", ["--mm-encoder-tp-mode=weights"], {}),
    "SGLang's tower":         ("sglang", ["--mm-enable-dp-encoder"], {"whole_tower": True}),
    "no windows":             ("vllm", ["--disable-sliding-window"], {"keeps_windows": False}),
    "windows like the rest":  ("vllm", ["--disable-hybrid-kv-cache-manager"], {"keeps_windows": False}),
    "llama.cpp's windows":    ("llama-cpp", ["--swa-full"], {"keeps_windows": False}),
    "llama.cpp's batch":      ("llama-cpp", ["-b", "1024", "-fa", "off"],
                               {"batch_tokens": 1024, "flash_attention": False}),
    "flash attention":        ("llama-cpp", ["-fa", "on"], {}),
    "a kind of weights":      ("vllm", ["--dtype=float32"], {"dtype": "float32"}),
    "llama.cpp's own words":  ("llama-cpp", ["-c", "0", "-ngl", "all"], {}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "args", "expected"), READ.values(), ids=READ)
def test_flags(name, args, expected):
    assert read_engine(Backend(name, tuple(args))) == Engine(name, **expected)


FRACTIONS = {
    "vLLM":        ("vllm", ["--gpu-memory-utilization", "0.7"], Fraction(7, 10), "utilization"),
    "SGLang":      ("sglang", ["--mem-fraction-static=.8"], Fraction(4, 5), "static"),
    "all of it":   ("vllm", ["--gpu-memory-utilization=1"], Fraction(1), "utilization"),
    "llama.cpp":   ("llama-cpp", ["--gpu-memory-utilization=0.5"], None, None),
}  # fmt: skip


@pytest.mark.parametrize(("name", "args", "fraction", "kind"), FRACTIONS.values(), ids=FRACTIONS)
def test_a_fraction_is_exact(name, args, fraction, kind):
    engine = read_engine(Backend(name, tuple(args)))

    assert (engine.fraction, engine.fraction_kind) == (fraction, kind)


REFUSED = {
    "no number":       (["--gpu-memory-utilization=zero"], 0),
    "above 1":         (["--gpu-memory-utilization=1.5"], 0),
    "zero":            (["--gpu-memory-utilization=0"], 0),
    "negative":        (["--gpu-memory-utilization=-0.5"], 0),
    "not a number":    (["--gpu-memory-utilization=nan"], 0),
    "endless":         (["--gpu-memory-utilization=1e999999999"], 0),
    "no cards":        (["-tp", "0"], 1),
    "half a card":     (["x", "--pipeline-parallel-size=1.5"], 1),
    "a negative size": (["--data-parallel-size=-1"], 0),
    "nothing":         (["--foo", "-tp"], 1),
    "an empty word":   (["-tp="], 0),
    "a flag instead":  (["-tp", "--foo"], 1),
    "half a token":    (["--max-model-len=1.0001k"], 0),
    "no tokens":       (["--max-model-len=0"], 0),
    "a huge number":   (["-tp=99999999999999999999999999"], 0),
}  # fmt: skip


@pytest.mark.parametrize(("args", "position"), REFUSED.values(), ids=REFUSED)
def test_a_bad_value_is_refused_where_it_stands(args, position):
    with pytest.raises(InputError) as caught:
        read_engine(Backend("vllm", tuple(args)))

    assert caught.value.place == f"backend.args[{position}]"
    assert caught.value.next.startswith("give ")


def test_a_kind_of_cache_that_nobody_knows_is_refused_where_it_stands():
    with pytest.raises(InputError, match=r"^backend.args\[1\]: 'fp9' is no kind of KV cache; did you mean 'fp8'\?"):
        read_engine(Backend("vllm", ("--kv-cache-dtype", "fp9")))


NAMES = {"vLLM": "vllm", "SGLang": "sglang", "llama.cpp": "llama-cpp", "llama-box": "llama-cpp", "Custom": "custom"}


@pytest.mark.parametrize(("written", "name"), NAMES.items())
def test_names_of_backends(written, name):
    assert engine_name(written) == name


def test_no_backend_is_custom_and_a_wrong_name_is_refused():
    assert read_engine(None) == CUSTOM == Engine("custom")
    with pytest.raises(InputError, match=r"backend.name: no backend is called 'vlm'; did you mean 'vllm'\?"):
        engine_name("vlm")
