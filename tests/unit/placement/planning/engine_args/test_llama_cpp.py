"""The flags that llama.cpp gets."""

from dataclasses import replace

import pytest

from bayplan.cluster.model import ModelSpec
from unit.placement.builders import need
from unit.placement.planning.engine_args.models import ADA, NUMBERS, args, model, server

SMALL = need(7_168, kv_mib=1_024, overhead_mib=512, context=8_192, concurrency=2, sequences=2, kv_given=True, **NUMBERS)
LLAMA = ["--ctx-size=16384", "--parallel=2"]
LLAMA_CPP = {
    "all on a card": (server(ADA), {}, (), [*LLAMA, "--n-gpu-layers=37"]),
    "two cards": (server(5_120, 5_120), {}, (), [*LLAMA, "--n-gpu-layers=37", "--tensor-split=18,18"]),
    "some of them": (server(5_120), {"cpu_offload": True}, (), [*LLAMA, "--n-gpu-layers=20"]),
    "none of them": (server(), {"cpu_offload": True}, (), [*LLAMA, "--n-gpu-layers=0"]),
    "as its owner said": (server(ADA), {}, ("-c", "16384", "-np=2", "-ngl", "99"), []),
    "a kind of cache": (
        server(ADA), {"spec": ModelSpec(kv_dtype="q8_0")}, ("-ctk", "q4_0"),
        [*LLAMA, "--cache-type-v=q8_0", "--n-gpu-layers=37"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("on", "others", "flags", "wanted"), LLAMA_CPP.values(), ids=LLAMA_CPP)
def test_llama_cpp(on, others, flags, wanted):
    assert args(model("llama-cpp", *flags, of=SMALL, **others), on) == wanted


def test_layers_whose_number_is_not_known():
    assert args(model("llama-cpp", of=replace(SMALL, layers=None)), server(ADA)) == LLAMA
