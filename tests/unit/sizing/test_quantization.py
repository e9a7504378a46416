from fractions import Fraction

import pytest

from bayplan.sizing.config_json import Config
from bayplan.sizing.quantization import read_packing

MODULE = "model.layers.0.mlp.up_proj"
EXPERT = "model.layers.0.mlp.experts.0.up_proj"


def packing(quant_config=None, **config):
    return read_packing(Config.of(config), quant_config)


PLAIN = {"bfloat16": 16, "torch.float16": 16, "float32": 32, "float8_e4m3fn": 8, None: 16, "novel": 16}


@pytest.mark.parametrize(("dtype", "size"), PLAIN.items())
def test_plain_weights(dtype, size):
    found = packing(torch_dtype=dtype)

    assert (found.plain, found.matrix, found.is_plain) == (size, size, True)


def test_the_newer_name_counts_too():
    assert packing(dtype="float32").plain == 32


def compressed(form="", **weights):
    return {"quant_method": "compressed-tensors", "format": form, "config_groups": {"group_0": {"weights": weights}}}


PACKED = {
    "AWQ":                 ({"quant_method": "awq", "bits": 4, "group_size": 128}, 4 + Fraction(20, 128)),
    "GPTQ":                ({"quant_method": "gptq", "bits": 8, "group_size": 64}, 8 + Fraction(24, 64)),
    "auto-round":          ({"quant_method": "auto-round", "bits": 2, "group_size": 32}, 2 + Fraction(18, 32)),
    "HQQ":                 ({"quant_method": "hqq", "quant_config": {"weight_quant_params": {
                             "nbits": 3, "group_size": 64}}}, 3 + Fraction(19, 64)),
    "no group":            ({"quant_method": "gptq", "bits": 4}, 4 + Fraction(20, 128)),
    "a group of -1":       ({"quant_method": "gptq", "bits": 4, "group_size": -1}, 4 + Fraction(20, 128)),
    "FP8":                 ({"quant_method": "fp8"}, 8),
    "FP8 of FBGEMM":       ({"quant_method": "fbgemm_fp8"}, 8),
    "MXFP4":               ({"quant_method": "mxfp4"}, Fraction(17, 4)),
    "NVFP4":               ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, Fraction(9, 2)),
    "an algorithm alone":  ({"quant_algo": "FP8", "config_groups": {"group_0": {"weights": {"num_bits": 8}}}}, 8),
    "an algorithm of AWQ": ({"quant_algo": "W4A16_AWQ", "group_size": 64}, 4 + Fraction(20, 64)),
    "eight bits":          ({"quant_method": "bitsandbytes", "load_in_8bit": True}, 8),
    "four bits":           ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 4 + Fraction(20, 64)),
    "compressed to eight": (compressed(num_bits=8), 8),
    "compressed to four":  (compressed(num_bits=4, group_size=32, type="int"), 4 + Fraction(20, 32)),
    "compressed to NVFP4": (compressed("nvfp4-pack-quantized", num_bits=4, type="float", group_size=16),
                            Fraction(9, 2)),
    "compressed to MXFP4": (compressed("mxfp4-pack-quantized", num_bits=4, type="float"), Fraction(17, 4)),
    "floats by their group": (compressed(num_bits=4, type="float", group_size=32), Fraction(17, 4)),
}  # fmt: skip


@pytest.mark.parametrize(("config", "size"), PACKED.values(), ids=PACKED)
def test_packed_weights(config, size):
    found = packing(torch_dtype="float16", quantization_config=config)

    assert (found.plain, found.matrix, found.bits(MODULE, expert=False)) == (16, size, size)


FP8 = {"quant_method": "fp8"}
PLACES = {
    "the root":          {"quantization_config": FP8},
    "the text model":    {"text_config": {"quantization_config": FP8}},
    "an older name":     {"compression_config": FP8},
    "a file of its own": {"quant_config": {"quantization": {"quant_algo": "FP8"}}},
}  # fmt: skip


@pytest.mark.parametrize("config", PLACES.values(), ids=PLACES)
def test_where_a_packing_is_told(config):
    assert packing(**config).matrix == 8


SKIPPED = {
    "modules_to_not_convert": ["up_proj"], "ignore": ["re:.*mlp.*"], "ignored_layers": ["model.layers.0"],
    "exclude_modules": ["model.layers.*.mlp.up_proj"], "llm_int8_skip_modules": [MODULE],
}  # fmt: skip


@pytest.mark.parametrize(("name", "entries"), SKIPPED.items())
def test_modules_that_are_not_converted(name, entries):
    found = packing(quantization_config=FP8 | {name: entries})

    assert found.bits(MODULE, expert=False) is None
    assert found.bits("model.layers.1.self_attn.q_proj", expert=False) == 8


def test_modules_that_gptq_leaves_out():
    config = {"quant_method": "gptq", "bits": 4, "dynamic": {"-:.*mlp.*": {}, "+:.*attn.*": {}}}

    assert packing(quantization_config=config).bits(MODULE, expert=False) is None


def test_groups_are_for_the_modules_that_they_target():
    groups = {
        "a": {"targets": ["re:.*experts.*"], "weights": {"num_bits": 4, "group_size": 32}},
        "b": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8}},
    }
    found = packing(quantization_config={"quant_method": "compressed-tensors", "config_groups": groups})

    assert found.bits(EXPERT, expert=True) == 4 + Fraction(20, 32)
    assert found.bits("model.layers.0.self_attn.q_proj", expert=False) == 8
    assert found.bits(MODULE, expert=False) is None


def test_experts_of_their_own_bits():
    found = packing(expert_dtype="fp4", quantization_config=FP8)

    assert (found.bits(EXPERT, expert=True), found.bits(MODULE, expert=False)) == (Fraction(17, 4), 8)


def test_only_experts_are_packed_in_mxfp4_of_gpt_oss():
    mxfp4 = {"quantization_config": {"quant_method": "mxfp4"}}

    assert packing(model_type="gpt_oss", **mxfp4).bits(MODULE, expert=False) is None
    assert packing(model_type="gpt_oss", **mxfp4).bits(EXPERT, expert=True) == Fraction(17, 4)
    assert packing(model_type="llama", **mxfp4).bits(MODULE, expert=False) == Fraction(17, 4)


@pytest.mark.parametrize(("sides", "block"), [([128, 128], 128), ([64, 32], 64), (None, 0), ("128", 0), ([], 0)])
def test_blocks(sides, block):
    assert packing(quantization_config=FP8 | {"weight_block_size": sides}).block == block


UNKNOWN = [
    {"quant_method": "novel"}, {}, {"quant_method": "compressed-tensors"}, {"quant_algo": "MIXED_PRECISION"},
    compressed(num_bits=4, type="float"), FP8 | {"ignore": ["re:(a+)+$"]},
]  # fmt: skip


@pytest.mark.parametrize("config", UNKNOWN)
def test_an_unknown_packing_is_unknown(config):
    assert packing(quantization_config=config) is None
