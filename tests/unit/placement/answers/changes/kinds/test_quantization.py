from __future__ import annotations

import json

import pytest

from bayplan.placement.answers.changes.kinds.quantization import TAKEN_BITS
from unit.placement.answers.changes.asking import change, cluster, kinds, model, worker

CASES = {
    "8 bits do":            ("16Gi", 8, 9216, None),
    "8 bits are too many":  ("32Gi", 4, 11776, 8),
}  # fmt: skip


def on(memory="12Gi"):
    return cluster(worker(cards=1, memory=memory, model="T4"))


@pytest.mark.parametrize(("weights", "bits", "size_mib", "short"), CASES.values(), ids=CASES)
def test_the_most_bits_that_fit(weights, bits, size_mib, short):
    found = change({"model": model(weights)}, on(), "quantization")

    assert found["to"] == {"bits": bits, "weights_mib": size_mib}
    assert found["not_enough"]["to"]["bits"] == short
    assert found["estimate"] is True
    assert "an estimate, if they are 16-bit weights now" in found["detail"]


def test_not_even_4_bits_do():
    assert "quantization" not in kinds({"model": model("64Gi")}, on())


def test_adapters_stay_as_they_are():
    found = change({"model": model("16Gi", loras=["1Gi"])}, on(), "quantization")

    assert found["to"]["weights_mib"] == 16 * 1024 * TAKEN_BITS[8] / 16


CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 128256,
    "torch_dtype": "bfloat16", "max_position_embeddings": 8192,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    def written(**others):
        (tmp_path / "config.json").write_text(json.dumps({**CONFIG, **others}))
        return {"model": {"path": str(tmp_path), "context": 1024, "overhead": "0"}, "backend": {"name": "vllm"}}

    return written


def test_files_that_tell_the_bits(folder):
    found = change(folder(), on(), "quantization")

    assert found["from"]["bits"] == 16
    assert found["detail"].endswith("(an estimate)")


def test_files_that_have_few_bits_already(folder):
    awq = folder(quantization_config={"quant_method": "awq", "bits": 4, "group_size": 128})

    assert "quantization" not in kinds(awq, on("3Gi"))
