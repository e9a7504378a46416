import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.config_json import read_config
from bayplan.sizing.facts import KvLayers
from unit.sizing.writers import LLAMA_8B

TEXT = {"model_type": "llama", "num_attention_heads": 12, "num_hidden_layers": 2, "hidden_size": 96}


def test_a_dense_model():
    traits = read_config(LLAMA_8B)

    assert (traits.kind, traits.heads, traits.kv_heads, traits.layers) == ("llama", 32, 8, 32)
    assert (traits.hidden_size, traits.head_dim, traits.vocab_size) == (4096, 128, 128256)
    assert (traits.max_context, traits.intermediate_size, traits.is_moe) == (131072, 14336, False)
    assert traits.attention == (KvLayers(32, 2048),)


HEADS = {
    "at the root":          ({"num_attention_heads": 28}, 28),
    "in the text model":    ({"text_config": {"num_attention_heads": 12}, "num_attention_heads": 16}, 12),
    "in the language model": ({"llm_config": {"num_attention_heads": 12},
                               "text_config": {"num_attention_heads": 3}}, 12),
    "in the thinker":       ({"thinker_config": {"text_config": {"num_attention_heads": 28}},
                              "talker_config": {"num_attention_heads": 16}}, 28),
    "under an old name":    ({"n_head": 12}, 12),
    "nowhere":              ({"model_type": "novelnet"}, None),
}  # fmt: skip


@pytest.mark.parametrize(("config", "heads"), HEADS.values(), ids=HEADS)
def test_whose_heads_count(config, heads):
    assert read_config(config).heads == heads


KV_HEADS = {
    "told":                  ({"num_key_value_heads": 4}, 4),
    "as many as heads":      ({}, 12),
    "one for all":           ({"multi_query": True}, 1),
    "groups":                ({"multi_query_attention": True, "multi_query_group_num": 2}, 2),
    "inside":                ({"attn_config": {"kv_n_heads": 3}}, 3),
    "latent":                ({"kv_lora_rank": 512, "qk_rope_head_dim": 64}, 1),
    "null is absent":        ({"num_key_value_heads": None}, 12),
    "the fewest of a list":  ({"num_key_value_heads": [4, 2]}, 2),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "kv_heads"), KV_HEADS.values(), ids=KV_HEADS)
def test_kv_heads(changes, kv_heads):
    assert read_config(TEXT | changes).kv_heads == kv_heads


ATTENTION = {
    "latent":               ({"model_type": "deepseek_v2", "kv_lora_rank": 512, "qk_rope_head_dim": 64},
                             (KvLayers(2, 576),)),
    "an encoder":           ({"model_type": "bert"}, ()),
    "a state":              ({"model_type": "mamba"}, ()),
    "an unknown kind":      ({"model_type": "novelnet"}, None),
    "no layers":            ({"num_hidden_layers": None}, None),
    "no hidden size":       ({"hidden_size": None}, None),
    "a head size of its own": ({"head_dim": 16}, (KvLayers(2, 2 * 12 * 16),)),
    "values of another size": ({"head_dim": 16, "v_head_dim": 8}, (KvLayers(2, 12 * 24),)),
    "layers that differ":   ({"num_key_value_heads": [4, 2]}, (KvLayers(1, 64), KvLayers(1, 32))),
    "a list that is too short": ({"num_key_value_heads": [4]}, None),
    "an encoder that tells a decoder": ({"model_type": "t5"}, (KvLayers(2, 192), KvLayers(2, 192))),
    "frames of sound":      ({"model_type": "whisper"}, (KvLayers(2, 192), KvLayers(2, 192, 1500))),
    "a wrapper":            ({"model_type": "llava"}, (KvLayers(2, 192),)),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "attention"), ATTENTION.values(), ids=ATTENTION)
def test_attention(changes, attention):
    assert read_config(TEXT | changes).attention == attention


EXPERTS = {
    "none":                    ({}, 0, 50),
    "as told":                 ({"num_local_experts": 8, "num_experts_per_tok": 2}, 2, 50),
    "with shared ones":        ({"n_routed_experts": 64, "num_experts_per_tok": 6, "n_shared_experts": 2}, 8, 50),
    "of their own size":       ({"num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 14}, 4, 14),
    "nobody says how many":    ({"n_routed_experts": 64}, 8, 50),
    "one is none":             ({"num_experts": 1}, 0, 50),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "visited", "inner"), EXPERTS.values(), ids=EXPERTS)
def test_experts(changes, visited, inner):
    traits = read_config(TEXT | {"intermediate_size": 50} | changes)

    assert (traits.experts_per_token, traits.intermediate_size) == (visited, inner)


VISION = {
    "a tower":              ({"vision_config": {"num_attention_heads": 16}}, 16),
    "dummy heads":          ({"vision_config": {"num_attention_heads": 25, "num_dummy_heads": 7}}, 32),
    "under another name":   ({"vision_config": {"num_heads": 20}}, 20),
    "of the thinker":       ({"thinker_config": {"vision_config": {"num_heads": 16}}}, 16),
    "none":                 ({}, None),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "heads"), VISION.values(), ids=VISION)
def test_vision_heads(changes, heads):
    assert read_config(TEXT | changes).vision_heads == heads


REFUSED = {
    "negative":          ({"num_hidden_layers": -1}, "num_hidden_layers"),
    "a text":            ({"num_attention_heads": "many"}, "num_attention_heads"),
    "a list":            ({"hidden_size": [1]}, "hidden_size"),
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
        read_config(TEXT | changes)

    assert caught.value.place == place


@pytest.mark.parametrize("data", [[], None, 3, "text"])
def test_a_config_is_a_mapping(data):
    with pytest.raises(InputError, match="is not a mapping"):
        read_config(data)
