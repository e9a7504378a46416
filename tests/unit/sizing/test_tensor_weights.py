import pytest

from bayplan.sizing.config_json import Config
from bayplan.sizing.engine import Engine
from bayplan.sizing.safetensors import Tensor
from bayplan.sizing.tensor_weights import tensor_weights

LLAMA = Config.of({"model_type": "llama", "num_hidden_layers": 2, "tie_word_embeddings": False})
TIED = Config.of({"model_type": "llama", "num_hidden_layers": 2, "tie_word_embeddings": True})
VLLM, WIDE, CUSTOM = Engine("vllm"), Engine("vllm", dtype="float32"), Engine("custom")


def matrix(size_bytes, dtype="BF16"):
    return Tensor(size_bytes, dtype, is_matrix=True)


WORDS = {"model.embed_tokens.weight": matrix(100), "lm_head.weight": matrix(100)}
HELD = {
    "as stored":                  ({"a": matrix(100)}, LLAMA, VLLM, 100),
    "16 bits of 32":              ({"a": matrix(100, "F32")}, LLAMA, VLLM, 50),
    "16 bits of 64":              ({"a": matrix(100, "F64")}, LLAMA, VLLM, 25),
    "32 bits as told":            ({"a": matrix(100, "F32")}, LLAMA, WIDE, 100),
    "32 bits of 16 as told":      ({"a": matrix(100)}, LLAMA, WIDE, 200),
    "another engine":             ({"a": matrix(100, "F32")}, LLAMA, CUSTOM, 100),
    "scales stay":                ({"a.weight_scale_inv": matrix(100, "F32")}, LLAMA, VLLM, 100),
    "norms stay":                 ({"a": Tensor(100, "F32", is_matrix=False)}, LLAMA, VLLM, 100),
    "packed numbers stay":        ({"a": matrix(100, "I32")}, LLAMA, WIDE, 100),
    "words that are tied":        (WORDS, TIED, VLLM, 100),
    "words that are not":         (WORDS, LLAMA, VLLM, 200),
    "tied and stored once":       ({"lm_head.weight": matrix(100)}, TIED, VLLM, 100),
    "layers that draft":          ({"model.layers.1.a": matrix(100), "model.layers.2.a": matrix(9)}, LLAMA, VLLM, 100),
    "layers of their own name":   ({"model.layers.1.a": matrix(100), "mtp.layers.0.a": matrix(100)}, LLAMA, VLLM, 100),
    "layers of a tower":          ({"visual.layers.9.a": matrix(100)}, LLAMA, VLLM, 100),
    "no config":                  ({"model.layers.9.a": matrix(100)}, None, VLLM, 100),
}  # fmt: skip


@pytest.mark.parametrize(("tensors", "config", "engine", "size_bytes"), HELD.values(), ids=HELD)
def test_what_an_engine_holds(tensors, config, engine, size_bytes):
    assert tensor_weights(tensors, config).held(engine).total_bytes == size_bytes


@pytest.mark.parametrize("name", ["visual.blocks.0.a", "vision_tower.a", "model.vision_model.a", "model.visual.a"])
def test_the_tower_is_known_by_its_name(name):
    assert tensor_weights({name: matrix(100), "model.layers.0.a": matrix(7)}, LLAMA).held(VLLM).tower_bytes == 100


def test_vllm_pads_experts():
    tensors = {"model.layers.0.mlp.experts.gate_up_proj_blocks": matrix(1000, "U8"), "a": matrix(1000)}
    found = tensor_weights(tensors, LLAMA, pads=True)

    assert (found.held(VLLM).total_bytes, found.held(Engine("sglang")).total_bytes) == (2090, 2000)


def test_nothing():
    assert tensor_weights({}, LLAMA) is None
