"""The flags that an engine gets beside those of its owner."""

from dataclasses import replace

import pytest

from bayplan.placement.planning.engine_args.arguments import engine_args
from unit.placement.builders import need, planner, role, sized
from unit.placement.planning.engine_args.models import ADA, args, model, server

VLLM = ["--max-model-len=8192", "--max-num-seqs=4"]
SHARE, KV = "--gpu-memory-utilization=0.7836", "--kv-cache-memory-bytes=2147483648"

CASES = {
    "all that was sized": (model("vllm"), [*VLLM, SHARE, KV]),
    "flags that were given": (model("vllm", "--max-model-len 8192", "--max_num_seqs=4"), [SHARE, KV]),
    "custom": (model("custom"), []),
    "no model": (role(gpus={"count": 1}), []),
    "no model, an engine": (role(None, "vllm", gpus={"count": 1}), []),
}


@pytest.mark.parametrize(("what", "wanted"), CASES.values(), ids=CASES)
def test_what_is_added_to_the_flags_of_the_owner(what, wanted):
    assert args(what, server(ADA)) == wanted


def test_nothing_is_added_where_the_need_is_not_known():
    placed = planner(server(ADA)).plan(sized(role(gpus={"count": 1}))).replicas[0].placed

    assert engine_args(model("vllm", of=need(unknown="give model.weights")), placed) == []


def test_a_version_that_does_not_know_a_flag():
    old = model("vllm")
    old = replace(old, shape=replace(old.shape, backend=replace(old.shape.backend, version="0.10.1")))

    assert args(old, server(ADA)) == [*VLLM, SHARE]
