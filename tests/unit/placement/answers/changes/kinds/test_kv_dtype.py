from __future__ import annotations

import pytest

from unit.placement.answers.changes.asking import LLAMA_70B, change, cluster, kinds, worker

ON = cluster(worker(cards=1, memory="40Gi"))


def caching(engine="vllm", *args, **others):
    cache = {"context": 65536, "concurrency": 1, "weights": "20Gi", "overhead": "1Gi", "architecture": LLAMA_70B}
    return {"model": {**cache, **others}, "backend": {"name": engine, "args": list(args)}}


@pytest.mark.parametrize(("engine", "dtype"), [("vllm", "fp8"), ("sglang", "fp8"), ("llama-cpp", "q8_0")])
def test_half_the_cache(engine, dtype):
    found = change(caching(engine), ON, "kv-dtype")

    assert (found["field"], found["from"], found["to"]) == ("model.kvDtype", None, dtype)
    assert found["detail"] == f"KV cache in {dtype} instead of 16 bits"


def test_a_flag_says_the_present_dtype():
    found = change(caching("vllm", "--kv-cache-dtype=bfloat16"), ON, "kv-dtype")

    assert found["detail"] == "KV cache in fp8 instead of bfloat16"


@pytest.mark.parametrize(
    "others", [{"kvDtype": "fp8", "context": 131072}, {"kvCache": "20Gi"}], ids=["fp8 already", "cache given"]
)
def test_nothing_to_save(others):
    assert "kv-dtype" not in kinds(caching(**others), ON)
