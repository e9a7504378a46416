"""The flags that vLLM and SGLang get."""

from dataclasses import replace

import pytest

from bayplan.cluster.model import ModelSpec
from fleets import booking, share
from unit.placement.builders import need
from unit.placement.planning.engine_args.models import ADA, NEED, NUMBERS, QUAD, args, follows, model, server


def kv(dtype):
    return ModelSpec(concurrency=4, kv_dtype=dtype)


VLLM = ["--max-model-len=8192", "--max-num-seqs=4"]
SGLANG = ["--context-length=8192", "--max-running-requests=4"]
SHARE, STATIC, HALF = (
    "--gpu-memory-utilization=0.7836",
    "--mem-fraction-static=0.7787",
    "--gpu-memory-utilization=0.6199",
)
KV, HALF_KV = "--kv-cache-memory-bytes=2147483648", "--kv-cache-memory-bytes=1073741824"
OTHER = (booking("other", share(0, 20_480)),)

CASES = {
    "vLLM": (model("vllm"), [*VLLM, SHARE, KV]),
    "SGLang": (model("sglang"), [*SGLANG, STATIC]),
    "no context": (model("vllm", of=replace(NEED, context=None)), [VLLM[1], SHARE, KV]),
    "no concurrency": (model("vllm", spec=ModelSpec()), [VLLM[0], SHARE, KV]),
    "fp8": (model("vllm", spec=kv("fp8")), [*VLLM, "--kv-cache-dtype=fp8", SHARE, KV]),
    "fp8 of one kind": (
        model("sglang", spec=kv("fp8_e5m2")),
        [*SGLANG, "--kv-cache-dtype=fp8_e5m2", STATIC],
    ),
    "16 bits": (model("vllm", spec=kv("bf16")), [*VLLM, SHARE, KV]),
    "a share that was given": (model("vllm", "--gpu_memory_utilization", "0.9"), VLLM),
    "a cache that was given": (model("vllm", "--kv-cache-memory-bytes=9"), [*VLLM, SHARE]),
    "tokens that follow": (model("sglang", of=follows()), [*SGLANG, STATIC, "--max-total-tokens=32768"]),
    "tokens in blocks": (
        model("sglang", of=follows(context=8_193)),
        ["--context-length=8193", SGLANG[1], STATIC, "--max-total-tokens=33024"],
    ),
    "tokens that were given": (model("sglang", "--max-total-tokens=9", of=follows()), [*SGLANG, STATIC]),
    "windows": (
        model("vllm", of=follows(windowed=True, step_tokens=8_192)), [*VLLM, "--max-num-batched-tokens=8192", SHARE],
    ),
    "states": (model("sglang", of=follows(stateful=True)), [*SGLANG, STATIC]),
    "no cache": (model("vllm", of=replace(NEED, kv_bytes=0)), [*VLLM, "--gpu-memory-utilization=0.6977"]),
}  # fmt: skip


@pytest.mark.parametrize(("what", "wanted"), CASES.values(), ids=CASES)
def test_flags_on_one_card(what, wanted):
    assert args(what, server(ADA)) == wanted


def test_the_rest_of_a_card():
    assert args(model("vllm", of=follows(takes_rest=True)), server(ADA)) == [*VLLM, "--gpu-memory-utilization=0.9511"]
    assert args(model("sglang", of=follows(takes_rest=True)), server(ADA)) == [*SGLANG, "--mem-fraction-static=0.9561"]


DIVIDED = {
    "vLLM": (model("vllm"), ["--tensor-parallel-size=2", HALF, HALF_KV]),
    "SGLang": (model("sglang"), ["--tp-size=2", "--mem-fraction-static=0.6349"]),
    "a number that was given": (model("sglang", "--tp=2"), ["--mem-fraction-static=0.6349"]),
    "a pipeline": (model("vllm", "-tp=1"), ["--pipeline-parallel-size=2", HALF, HALF_KV]),
}  # fmt: skip


@pytest.mark.parametrize(("what", "wanted"), DIVIDED.values(), ids=DIVIDED)
def test_flags_on_two_cards(what, wanted):
    assert args(what, server(QUAD, QUAD))[2:] == wanted


SHARED = {"vllm": "--gpu-memory-utilization=0.2351", "sglang": "--mem-fraction-static=0.3022"}


@pytest.mark.parametrize(("engine", "share_told"), SHARED.items(), ids=SHARED)
def test_a_card_that_others_share(engine, share_told):
    assert share_told in args(model(engine), server(81_920), bookings=OTHER)


def test_replicas_that_were_placed_before_count():
    """One replica books 18,695 MiB and keeps 800 beside it: 81,920 - 19,495 - 1,200 MiB are left to the next."""
    assert "--mem-fraction-static=0.2973" in args(model("sglang"), server(81_920), replicas=2)


def test_a_share_without_room_for_slack():
    exactly = need(20_704, kv_mib=2_048, overhead_mib=1_024, kv_given=True, **NUMBERS)

    assert args(model("vllm", of=exactly, spec=ModelSpec()), server(ADA))[0] == "--gpu-memory-utilization=0.9675"


def test_a_card_that_is_oversold_gives_the_need_all_the_same():
    what = model("vllm", allow_overcommit=True)

    assert "--gpu-memory-utilization=0.7608" in args(what, server(ADA), bookings=OTHER)
