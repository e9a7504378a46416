import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.config_json import Config
from bayplan.sizing.config_traits import count_weights, traits_of
from bayplan.sizing.facts import Blocks, KvLayers
from unit.sizing.writers import LLAMA_8B

TEXT = {"model_type": "llama", "num_attention_heads": 12, "num_hidden_layers": 2, "hidden_size": 96}


def test_a_dense_model():
    traits = traits_of(Config.of(LLAMA_8B))

    assert (traits.kind, traits.heads, traits.kv_heads, traits.layers) == ("llama", 32, 8, 32)
    assert (traits.hidden_size, traits.head_dim, traits.vocab_size) == (4096, 128, 128256)
    assert (traits.max_context, traits.step_inner_size, traits.is_moe) == (131072, 14336, False)
    assert traits.attention == (KvLayers(32, 2048),)
    assert traits.assumed is None


KV_HEADS = {
    "told":                  ({"num_key_value_heads": 4}, 4),
    "as many as heads":      ({}, 12),
    "one for all":           ({"multi_query": True}, 1),
    "groups":                ({"multi_query_attention": True, "multi_query_group_num": 2}, 2),
    "inside":                ({"attn_config": {"kv_n_heads": 3}}, 3),
    "latent":                ({"kv_lora_rank": 512, "qk_rope_head_dim": 64}, 1),
    "latent is switched off": ({"kv_lora_rank": 512, "use_mla": False}, 12),
    "null is absent":        ({"num_key_value_heads": None}, 12),
    "the fewest of a list":  ({"num_key_value_heads": [4, 2]}, 2),
    "Falcon's switch":       ({"model_type": "falcon", "multi_query": True, "num_kv_heads": 12}, 1),
    "Falcon's newer build":  ({"model_type": "falcon", "multi_query": True, "num_kv_heads": 4,
                               "new_decoder_architecture": True}, 4),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "kv_heads"), KV_HEADS.values(), ids=KV_HEADS)
def test_kv_heads(changes, kv_heads):
    assert traits_of(Config.of(TEXT | changes)).kv_heads == kv_heads


GEMMA4 = {
    "model_type": "gemma4_text", "num_key_value_heads": 4, "head_dim": 8, "num_global_key_value_heads": 2,
    "global_head_dim": 16, "sliding_window": 9, "layer_types": ["sliding_attention", "full_attention"],
}  # fmt: skip
ATTENTION = {
    "latent":               ({"model_type": "deepseek_v2", "kv_lora_rank": 512, "qk_rope_head_dim": 64},
                             (KvLayers(2, 576),)),
    "latent with an index": ({"model_type": "deepseek_v32", "kv_lora_rank": 512, "qk_rope_head_dim": 64,
                              "index_head_dim": 128}, (KvLayers(2, 576, index_bytes=132),)),
    "a default of the kind": ({"model_type": "minicpm3", "kv_lora_rank": 256}, (KvLayers(2, 288),)),
    "an encoder":           ({"model_type": "bert"}, ()),
    "a state":              ({"model_type": "mamba"}, ()),
    "an unknown kind":      ({"model_type": "novelnet", "sliding_window": 9}, (KvLayers(2, 192),)),
    "no layers":            ({"model_type": "olmo", "num_hidden_layers": None}, None),
    "no hidden size":       ({"model_type": "olmo", "hidden_size": None}, None),
    "a head size of its own": ({"head_dim": 16}, (KvLayers(2, 2 * 12 * 16),)),
    "values of another size": ({"head_dim": 16, "v_head_dim": 8}, (KvLayers(2, 12 * 24),)),
    "layers that differ":   ({"num_key_value_heads": [4, 2]}, (KvLayers(1, 64), KvLayers(1, 32))),
    "layers without heads": ({"num_key_value_heads": [4, 0]}, (KvLayers(1, 64), KvLayers(1, 0))),
    "an encoder that tells a decoder": ({"model_type": "t5"}, (KvLayers(2, 192), KvLayers(2, 192))),
    "frames of sound":      ({"model_type": "whisper"}, (KvLayers(2, 192), KvLayers(2, 192, fixed_tokens=1500))),
    "a picture":            ({"model_type": "mllama", "cross_attention_layers": [1]},
                             (KvLayers(1, 192), KvLayers(1, 192, fixed_tokens=6404))),
    "a wrapper":            ({"model_type": "llava"}, (KvLayers(2, 192),)),
    "wide heads that look far": (GEMMA4, (KvLayers(1, 64, 9), KvLayers(1, 64))),
    "a cache that is shared": ({"model_type": "gemma3n_text", "num_kv_shared_layers": 1, "sliding_window": None},
                              (KvLayers(1, 192),)),
    "an index of values":   ({"model_type": "minimax_m3", "sparse_attention_config": {
                              "sparse_index_dim": 7, "sparse_attention_freq": [0, 1]}},
                             (KvLayers(1, 192), KvLayers(1, 199))),
    "two attentions a layer": ({"model_type": "longcat_flash", "kv_lora_rank": 512, "qk_rope_head_dim": 64},
                              (KvLayers(4, 576),)),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "attention"), ATTENTION.values(), ids=ATTENTION)
def test_attention(changes, attention):
    assert traits_of(Config.of(TEXT | changes)).attention == attention


EXPERTS = {
    "none":                    ({}, 50),
    "as told":                 ({"num_local_experts": 8, "num_experts_per_tok": 2}, 100),
    "with shared ones":        ({"n_routed_experts": 64, "num_experts_per_tok": 6, "n_shared_experts": 2}, 400),
    "of their own size":       ({"num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 14}, 56),
    "shared ones of their own": ({"num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 14,
                                  "shared_expert_intermediate_size": 9}, 65),
    "their number is not told": ({"n_routed_experts": 64}, 400),
    "one is none":             ({"num_experts": 1}, 50),
    "nothing is told":         ({"model_type": "olmo", "intermediate_size": None}, 4 * 96),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "inner"), EXPERTS.values(), ids=EXPERTS)
def test_the_inner_size_that_a_token_visits(changes, inner):
    assert traits_of(Config.of(TEXT | {"intermediate_size": 50} | changes)).step_inner_size == inner


FP8 = {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
SPARSE = {"num_experts": 8, "moe_intermediate_size": 7, "intermediate_size": 50, "first_k_dense_replace": 1}
BLOCKS = {
    "none":                ({}, None),
    "dense":               ({"intermediate_size": 50} | FP8, Blocks(128, (50,))),
    "experts only":        (SPARSE | {"first_k_dense_replace": 0} | FP8, Blocks(128, (), (7,))),
    "both, shared ones too": (SPARSE | {"n_shared_experts": 2} | FP8, Blocks(128, (14, 50), (7,))),
    "other blocks":        ({"intermediate_size": 50, "quantization_config": {
                             "quant_method": "fp8", "weight_block_size": [64, 128]}}, Blocks(64, (50,))),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "blocks"), BLOCKS.values(), ids=BLOCKS)
def test_what_must_be_cut_between_blocks(changes, blocks):
    assert traits_of(Config.of(TEXT | changes)).blocks == blocks


def test_an_unknown_kind_says_what_is_assumed():
    assumed = traits_of(Config.of(TEXT | {"model_type": "novelnet"})).assumed

    assert assumed.startswith("the kind 'novelnet' is not known: every layer is assumed to use full attention")
    assert (
        "assumed to be a gated decoder (novelnet)"
        in count_weights(Config.of(LLAMA_8B | {"model_type": "novelnet"})).source
    )


PROBLEMS = {
    "a part":              (LLAMA_8B | {"ponder_config": {"depth": 3}}, "ponder_config of config.json"),
    "a field":             (LLAMA_8B | {"moe_latent_size": 3}, "moe_latent_size of config.json"),
    "a packing":           (LLAMA_8B | {"quantization_config": {"quant_method": "novel"}}, "packed in a way"),
    "a tower":             (LLAMA_8B | {"vision_config": {"hidden_size": 3}}, "vision_config of config.json lacks"),
    "no vocabulary":       ({**LLAMA_8B, "model_type": "olmo", "vocab_size": None}, None),
    "no heads":            ({**LLAMA_8B, "model_type": "novelnet", "num_attention_heads": None}, None),
    "a hybrid that does not say which": (LLAMA_8B | {"model_type": "jamba"}, None),
    "a state without its sizes": (LLAMA_8B | {"model_type": "jamba", "attn_layer_period": 8}, None),
}  # fmt: skip


@pytest.mark.parametrize(("config", "words"), PROBLEMS.values(), ids=PROBLEMS)
def test_what_cannot_be_counted_is_unknown_and_says_why(config, words):
    counted = count_weights(Config.of(config))

    assert counted.weights is None
    assert counted.problem is None if words is None else words in counted.problem


def test_a_state_without_its_sizes_is_unknown():
    assert traits_of(Config.of(LLAMA_8B | {"model_type": "jamba", "attn_layer_period": 8})).states is None


REFUSED = {
    "negative":          ({"num_hidden_layers": -1}, "num_hidden_layers"),
    "a text":            ({"num_attention_heads": "many"}, "num_attention_heads"),
    "a fraction":        ({"vocab_size": 1.5}, "vocab_size"),
    "too many layers":   ({"num_hidden_layers": 10**9}, "num_hidden_layers"),
    "a huge number":     ({"head_dim": 2**63}, "head_dim"),
    "true":              ({"num_key_value_heads": True}, "num_key_value_heads"),
    "inside":            ({"text_config": {"num_attention_heads": -3}}, "text_config.num_attention_heads"),
    "in a list":         ({"num_key_value_heads": [4, -2]}, "num_key_value_heads[1]"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "place"), REFUSED.values(), ids=REFUSED)
def test_a_number_that_is_none_is_refused(changes, place):
    with pytest.raises(InputError) as caught:
        traits_of(Config.of(TEXT | changes))

    assert caught.value.place == place


@pytest.mark.parametrize("data", [[], None, 3, "text"])
def test_a_config_is_a_mapping(data):
    with pytest.raises(InputError, match="is not a mapping"):
        traits_of(Config.of(data))
