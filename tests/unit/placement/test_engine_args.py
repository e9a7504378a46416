"""The flags that an engine gets beside those of its owner."""

import pytest

from bayplan.placement.engine_args import engine_args
from unit.placement.builders import gpu, need, planner, request, sized, worker

NUMBERS = {"heads": 8, "kv_heads": 8, "layers": 8}


def server(name, *sizes):
    return worker(name, cards=[gpu(number, memory_mib=mib) for number, mib in enumerate(sizes)], ram_mib=1000)


def args(what, *workers):
    plans = planner(*workers)
    (replica,) = plans.plan(request(what)).replicas
    used = [plans.snapshot.workers[part.row] for part in replica.placed.parts]
    return engine_args(replica.sized, replica.placed, used)


def model(mib, engine, *flags, **others):
    return sized(need(mib, overhead_mib=10, **NUMBERS), engine, *flags, **others)


ONE, FOUR = server("a", 100), server("a", 100, 100, 100, 100)
UTILIZATION, STATIC = "--gpu-memory-utilization", "--mem-fraction-static"

CASES = {
    "vLLM: all that it needs": (model(40, "vllm"), ONE, [f"{UTILIZATION}=0.5000"]),
    "SGLang: without itself": (model(40, "sglang"), ONE, [f"{STATIC}=0.4000"]),
    "rounded up": (model(40, "vllm"), server("a", 30_000), [f"{UTILIZATION}=0.0017"]),
    "all of a card": (model(90, "vllm"), ONE, [f"{UTILIZATION}=1.0000"]),
    "more than a card": (model(190, "vllm", allow_overcommit=True), ONE, [f"{UTILIZATION}=1.0000"]),
    "a share that is asked for": (model(40, "vllm", gpus={"memory_mib": 70}), ONE, [f"{UTILIZATION}=0.7000"]),
    "such a share of SGLang": (model(40, "sglang", gpus={"memory_mib": 70}), ONE, [f"{STATIC}=0.6000"]),
    "how it is divided": (model(120, "vllm"), FOUR, ["--tensor-parallel-size=2", f"{UTILIZATION}=0.7000"]),
    "how SGLang is": (model(120, "sglang"), FOUR, ["--tp-size=2", f"{STATIC}=0.6000"]),
    "a pipeline": (
        model(320, "vllm", "-tp=1"),
        FOUR,
        ["--pipeline-parallel-size=4", f"{UTILIZATION}=0.9000"],
    ),
    "what the owner gave is not given again": (
        model(120, "vllm", "-tp=2", "-pp=1", f"{UTILIZATION}=0.8"),
        FOUR,
        [],
    ),
    "llama.cpp: layers on cards": (model(160, "llama-cpp"), server("a", 100, 100), ["--gpu-layers=8"]),
    "llama.cpp: some of them": (model(160, "llama-cpp", cpu_offload=True), ONE, ["--gpu-layers=4"]),
    "llama.cpp: none of them": (model(160, "llama-cpp", cpu_offload=True), server("a"), ["--gpu-layers=0"]),
    "llama.cpp: as its owner said": (model(160, "llama-cpp", "-ngl=3", cpu_offload=True), ONE, []),
    "custom": (model(40, "custom"), ONE, []),
    "no model": (sized(gpus={"count": 1}), ONE, []),
    "no model, an engine": (sized(None, "vllm", gpus={"count": 1}), ONE, []),
}


@pytest.mark.parametrize(("what", "where", "wanted"), CASES.values(), ids=CASES)
def test_flags(what, where, wanted):
    assert args(what, where) == wanted


def test_the_share_is_of_the_smallest_card_that_was_chosen():
    """A share of each card that is enough on the smaller one is more than enough on the larger."""
    small, large = server("a", 80), server("b", 100)

    assert args(model(140, "vllm", "-tp=1", "-pp=2", distributed=True), small, large) == [f"{UTILIZATION}=1.0000"]
