import pytest

from bayplan.sizing.config_json import Config
from bayplan.sizing.parameters import config_weights, count_parameters
from unit.sizing.writers import LLAMA_8B

LLAMA_70B = LLAMA_8B | {
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
}
MIXTRAL = LLAMA_8B | {
    "model_type": "mixtral",
    "vocab_size": 32000,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
}
QWEN3_30B = LLAMA_8B | {
    "model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_key_value_heads": 4,
    "head_dim": 128, "vocab_size": 151936, "num_experts": 128, "moe_intermediate_size": 768,
}  # fmt: skip
DEEPSEEK_V3 = {
    "model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
    "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128, "kv_lora_rank": 512,
    "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 256,
    "n_shared_experts": 1, "first_k_dense_replace": 3, "vocab_size": 129280,
}  # fmt: skip
BERT = {
    "model_type": "bert", "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
    "num_attention_heads": 12, "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2,
}  # fmt: skip
GPT2 = {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257}
GEMMA_2B = {
    "model_type": "gemma", "hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 18,
    "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 256, "vocab_size": 256000,
}  # fmt: skip

COUNTS = {
    "8B":                       (LLAMA_8B, 8.03),
    "70B":                      (LLAMA_70B, 70.55),
    "all experts":              (MIXTRAL, 46.7),
    "many small experts":       (QWEN3_30B, 30.5),
    "latent attention":         (DEEPSEEK_V3, 671.0),
    "an encoder":               (BERT, 0.109),
    "two matrices, tied":       (GPT2, 0.1237),
    "tied without being told":  (GEMMA_2B, 2.506),
    "tied as told":             (LLAMA_8B | {"tie_word_embeddings": True}, 7.50),
}  # fmt: skip


@pytest.mark.parametrize(("config", "billions"), COUNTS.values(), ids=COUNTS)
def test_published_numbers_of_weights(config, billions):
    assert count_parameters(Config.of(config)).total == pytest.approx(billions * 1e9, rel=0.01)


def test_a_vision_tower_is_counted():
    tower = {"vision_config": {"hidden_size": 1024, "num_hidden_layers": 24, "intermediate_size": 4096}}
    more = count_parameters(Config.of(LLAMA_8B | tower)).total - count_parameters(Config.of(LLAMA_8B)).total

    assert more == 24 * 1024 * (4 * 1024 + 2 * 4096)


SPARSE = {
    "every layer":   ({}, 80),
    "every other":   ({"decoder_sparse_step": 2}, 40),
    "not the first": ({"first_k_dense_replace": 3}, 77),
    "not these":     ({"mlp_only_layers": [0, 1]}, 78),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "layers"), SPARSE.values(), ids=SPARSE)
def test_which_layers_have_experts(changes, layers):
    found = count_parameters(Config.of(LLAMA_70B | {"num_experts": 4, "moe_intermediate_size": 10} | changes))

    assert found.experts == layers * (3 * 8192 * 4 * 10 + 4 * 8192)


def test_a_70b_config_alone_says_131_gib():
    weights_bytes, source = config_weights(LLAMA_70B)

    assert weights_bytes / 2**30 == pytest.approx(131.4, abs=0.1)
    assert source == "config.json: 70.6 billion weights, 16 bits"


def test_packed_matrices_and_plain_embeddings():
    packed, _ = config_weights(LLAMA_8B | {"quantization_config": {"quant_method": "fp8"}})
    plain, _ = config_weights(LLAMA_8B)

    assert packed == pytest.approx(plain / 2 + 128256 * 4096 * 2, rel=0.01)


UNKNOWN = {
    "an unknown kind":      LLAMA_8B | {"model_type": "novelnet"},
    "a hybrid":             LLAMA_8B | {"model_type": "jamba"},
    "no vocabulary":        LLAMA_8B | {"vocab_size": None},
    "no heads":             LLAMA_8B | {"num_attention_heads": None},
    "an unknown packing":   LLAMA_8B | {"quantization_config": {"quant_method": "novel"}},
}  # fmt: skip


@pytest.mark.parametrize("config", UNKNOWN.values(), ids=UNKNOWN)
def test_what_cannot_be_counted_is_unknown(config):
    assert config_weights(config) is None
