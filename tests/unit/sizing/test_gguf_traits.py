import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.facts import KvLayers, StateLayers
from bayplan.sizing.gguf import read_gguf
from bayplan.sizing.gguf_traits import gguf_traits
from unit.sizing.writers import GGUF_METADATA, Memory, gguf_bytes


def traits(**changes):
    """The metadata of an 8B model with changes; names are those of the architecture."""
    kind = changes.pop("kind", "llama")
    own = {name.replace("llama.", f"{kind}."): value for name, value in GGUF_METADATA.items()}
    changed = {f"{kind}.{name.replace('__', '.')}": value for name, value in changes.items()}
    metadata = own | {"general.architecture": kind} | changed
    return gguf_traits(read_gguf(Memory(gguf_bytes({k: v for k, v in metadata.items() if v is not None})[0])))


def test_a_dense_model():
    found = traits(vocab_size=128256, feed_forward_length=14336)

    assert (found.kind, found.heads, found.kv_heads, found.layers) == ("llama", 32, 8, 32)
    assert (found.hidden_size, found.vocab_size, found.max_context) == (4096, 128256, 8192)
    assert (found.step_inner_size, found.is_moe) == (14336, False)


ATTENTION = {
    "heads of the usual size":  ({}, (KvLayers(32, 2048),)),
    "heads of their own size":  ({"attention__key_length": 64, "attention__value_length": 32}, (KvLayers(32, 768),)),
    "as many as heads":         ({"attention__head_count_kv": None}, (KvLayers(32, 8192),)),
    "layers that differ":       ({"block_count": 2, "attention__head_count_kv": [8, 0]},
                                 (KvLayers(1, 2048),)),
    "a list too short":         ({"attention__head_count_kv": [8]}, None),
    "latent":                   ({"kind": "deepseek2", "attention__kv_lora_rank": 512, "rope__dimension_count": 64},
                                 (KvLayers(32, 576),)),
    "a window that is switched off": ({"attention__sliding_window": 100}, (KvLayers(32, 2048),)),
    "a window of phi3":         ({"kind": "phi3", "attention__sliding_window": 100}, (KvLayers(32, 2048),)),
    "every fifth looks far":    ({"kind": "gemma3n", "block_count": 10, "attention__sliding_window": 100},
                                 (KvLayers(8, 2048, 100), KvLayers(2, 2048))),
    "chunks of Llama 4":        ({"kind": "llama4"}, (KvLayers(24, 2048, 8192), KvLayers(8, 2048))),
    "every fourth attends":     ({"kind": "qwen3next", "full_attention_interval": 4}, (KvLayers(8, 2048),)),
    "every second looks far":   ({"kind": "gemma2", "attention__sliding_window": 100},
                                 (KvLayers(16, 2048, 100), KvLayers(16, 2048))),
    "layers that draft":        ({"kind": "glm4moe", "nextn_predict_layers": 1}, (KvLayers(31, 2048),)),
    "an encoder":               ({"kind": "bert"}, ()),
    "a state":                  ({"kind": "mamba"}, ()),
    "an unknown kind":          ({"kind": "novelnet", "attention__sliding_window": 9}, (KvLayers(32, 2048),)),
    "no layers":                ({"block_count": None}, None),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "attention"), ATTENTION.values(), ids=ATTENTION)
def test_attention(changes, attention):
    assert traits(**changes).attention == attention


def test_latent_attention_has_one_head():
    found = traits(kind="deepseek2", attention__kv_lora_rank=512)

    assert (found.kv_heads, found.is_mla) == (1, True)


EXPERTS = {
    "as told":                 ({"expert_count": 8, "expert_used_count": 2, "expert_feed_forward_length": 99}, 198),
    "with shared ones":        ({"expert_count": 8, "expert_used_count": 2, "expert_feed_forward_length": 99,
                                 "expert_shared_count": 1}, 297),
    "their number is not told": ({"expert_count": 64, "feed_forward_length": 10}, 80),
    "one is none":             ({"expert_count": 1, "feed_forward_length": 10}, 10),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "inner"), EXPERTS.values(), ids=EXPERTS)
def test_the_inner_size_that_a_token_visits(changes, inner):
    assert traits(**changes).step_inner_size == inner


SSM = {"ssm__inner_size": 4096, "ssm__state_size": 128, "ssm__conv_kernel": 4}
STATES = {
    "none":                 ({}, ()),
    "three of four layers": ({"kind": "qwen3next", "full_attention_interval": 4, "ssm__group_count": 16} | SSM,
                             (StateLayers(24, 128 * 4096, 4, 3 * (4096 + 2 * 16 * 128)),)),
    "layers without heads": ({"kind": "jamba", "block_count": 2, "attention__head_count_kv": [8, 0]} | SSM,
                             (StateLayers(1, 128 * 4096, 4, 3 * 4096),)),
    "every layer":          ({"kind": "mamba"} | SSM, (StateLayers(32, 128 * 4096, 4, 3 * 4096),)),
    "short convolutions":   ({"kind": "lfm2", "block_count": 2, "attention__head_count_kv": [8, 0],
                              "shortconv__l_cache": 3}, (StateLayers(1, 0, 4, 2 * 4096),)),
    "heads of RWKV":        ({"kind": "rwkv7", "wkv__head_size": 64}, (StateLayers(32, 64 * 4096, 4, 2 * 4096),)),
    "no numbers":           ({"kind": "mamba"}, None),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "states"), STATES.values(), ids=STATES)
def test_states(changes, states):
    assert traits(**changes).states == states


def test_an_unknown_kind_says_what_is_assumed():
    assert "'novelnet' is not known: every layer is assumed" in traits(kind="novelnet").assumed
    assert traits().assumed is None


def test_words_are_counted_where_their_number_is_not_told():
    metadata = GGUF_METADATA | {"tokenizer.ggml.tokens": ["a", "b", "c"]}

    assert gguf_traits(read_gguf(Memory(gguf_bytes(metadata)[0]))).vocab_size == 3


@pytest.mark.parametrize("value", [10_001, 1.5, True, "many"])
def test_a_number_that_is_none_is_refused(value):
    with pytest.raises(InputError) as caught:
        traits(block_count=value)

    assert caught.value.place == "llama.block_count"
