from fractions import Fraction

import pytest

from bayplan.sizing.quantization import read_bits
from bayplan.sizing.section import Section


def bits(**config):
    root = Section(config)
    return read_bits(root, root)


PLAIN = {"bfloat16": 16, "torch.float16": 16, "float32": 32, "float8_e4m3fn": 8, None: 16, "novel": 16}


@pytest.mark.parametrize(("dtype", "size"), PLAIN.items())
def test_plain_weights(dtype, size):
    found = bits(torch_dtype=dtype)

    assert (found.plain, found.matrix) == (size, size)


def test_the_newer_name_counts_too():
    assert bits(dtype="float32").plain == 32


PACKED = {
    "AWQ":                 ({"quant_method": "awq", "bits": 4, "group_size": 128}, 4 + Fraction(20, 128)),
    "GPTQ":                ({"quant_method": "gptq", "bits": 8, "group_size": 64}, 8 + Fraction(24, 64)),
    "no group":            ({"quant_method": "gptq", "bits": 4}, 4 + Fraction(20, 128)),
    "FP8":                 ({"quant_method": "fp8"}, 8),
    "MXFP4":               ({"quant_method": "mxfp4"}, Fraction(17, 4)),
    "NVFP4":               ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, Fraction(9, 2)),
    "eight bits":          ({"quant_method": "bitsandbytes", "load_in_8bit": True}, 8),
    "four bits":           ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 4 + Fraction(20, 64)),
    "compressed to eight": ({"quant_method": "compressed-tensors",
                             "config_groups": {"group_0": {"weights": {"num_bits": 8}}}}, 8),
    "compressed to four":  ({"quant_method": "compressed-tensors",
                             "config_groups": {"group_0": {"weights": {"num_bits": 4, "group_size": 32}}}},
                            4 + Fraction(20, 32)),
}  # fmt: skip


@pytest.mark.parametrize(("packing", "size"), PACKED.values(), ids=PACKED)
def test_packed_weights(packing, size):
    found = bits(torch_dtype="float16", quantization_config=packing)

    assert (found.plain, found.matrix) == (16, size)


def test_only_experts_are_packed_in_mxfp4():
    assert bits(quantization_config={"quant_method": "mxfp4"}).experts_only
    assert not bits(quantization_config={"quant_method": "fp8"}).experts_only


@pytest.mark.parametrize("packing", [{"quant_method": "novel"}, {}, {"quant_method": "compressed-tensors"}])
def test_an_unknown_packing_is_unknown(packing):
    assert bits(quantization_config=packing) is None
