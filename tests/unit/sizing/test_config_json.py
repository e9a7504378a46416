import pytest

from bayplan.sizing.config_json import Config
from bayplan.sizing.field_names import CONTEXT, EXPERT_INNER, EXPERTS, HEADS, HIDDEN, INNER, LAYERS, VOCABULARY

HEAD_COUNTS = {
    "at the root":           ({"num_attention_heads": 28}, 28),
    "in the text model":     ({"text_config": {"num_attention_heads": 12}, "num_attention_heads": 16}, 12),
    "in the language model": ({"llm_config": {"num_attention_heads": 12},
                               "text_config": {"num_attention_heads": 3}}, 12),
    "under the third name":  ({"language_config": {"num_attention_heads": 10}}, 10),
    "at the root after all": ({"text_config": {"hidden_size": 12}, "num_attention_heads": 16}, 16),
    "in the thinker":        ({"thinker_config": {"text_config": {"num_attention_heads": 28}},
                               "talker_config": {"num_attention_heads": 16}}, 28),
    "by default of the kind": ({"model_type": "gemma3", "text_config": {"hidden_size": 2560}}, 8),
    "null keeps no default": ({"model_type": "llama", "num_attention_heads": None}, None),
    "the fewest of a list":  ({"num_attention_heads": [8, 4, 0]}, 4),
    "nowhere":               ({"model_type": "novelnet"}, None),
}  # fmt: skip


@pytest.mark.parametrize(("config", "heads"), HEAD_COUNTS.values(), ids=HEAD_COUNTS)
def test_whose_heads_count(config, heads):
    assert Config.of(config).heads == heads


NAMES = [
    *((LAYERS, name) for name in LAYERS), *((HIDDEN, name) for name in HIDDEN), *((HEADS, name) for name in HEADS),
    *((VOCABULARY, name) for name in VOCABULARY), *((INNER, name) for name in INNER),
    *((CONTEXT, name) for name in CONTEXT), *((EXPERTS, name) for name in EXPERTS),
    *((EXPERT_INNER, name) for name in EXPERT_INNER),
]  # fmt: skip


@pytest.mark.parametrize(("names", "name"), NAMES, ids=[name for _, name in NAMES])
def test_every_name_of_a_number_is_read(names, name):
    outer, dot, last = name.rpartition(".")

    assert Config.of({outer: {last: 7}} if dot else {name: 7}).count(names) == 7


DEFAULTS = {
    "llama":       (4096, 32, 32, 32, 128, 32000, 2048),
    "mistral":     (4096, 32, 32, 8, 128, 32000, 131072),
    "mixtral":     (4096, 32, 32, 8, 128, 32000, 131072),
    "qwen2":       (4096, 32, 32, 32, 128, 151936, 32768),
    "qwen3":       (4096, 32, 32, 32, 128, 151936, 32768),
    "gemma":       (3072, 28, 16, 16, 256, 256000, 8192),
    "gemma2":      (2304, 26, 8, 4, 256, 256000, 8192),
    "gemma3_text": (2304, 26, 8, 4, 256, 262208, 131072),
    "phi3":        (3072, 32, 32, 32, 96, 32064, 4096),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "numbers"), DEFAULTS.items())
def test_what_a_kind_leaves_out(kind, numbers):
    config = Config.of({"model_type": kind})

    assert numbers == (
        config.hidden, config.layers, config.heads, config.kv_heads, config.head_dim, config.count(VOCABULARY),
        config.count(CONTEXT),
    )  # fmt: skip


def test_fewer_values_than_heads_have_no_size():
    assert Config.of({"model_type": "olmo", "hidden_size": 4, "num_attention_heads": 8}).head_dim is None


TIED = {
    "as told":               ({"model_type": "llama", "tie_word_embeddings": True}, True),
    "not by default":        ({"model_type": "llama"}, False),
    "by default":            ({"model_type": "gemma2"}, True),
    "by default of its line": ({"model_type": "cohere2"}, True),
    "told otherwise":        ({"model_type": "gemma2", "tie_word_embeddings": False}, False),
    "the root's word first": ({"model_type": "llava", "tie_word_embeddings": False,
                               "text_config": {"model_type": "llama", "tie_word_embeddings": True}}, False),
    "else the text model's": ({"model_type": "llava", "text_config": {"model_type": "llama",
                                                                       "tie_word_embeddings": True}}, True),
}  # fmt: skip


@pytest.mark.parametrize(("config", "tied"), TIED.values(), ids=TIED)
def test_words_that_are_read_and_written_with_one_matrix(config, tied):
    assert Config.of(config).ties_words is tied


KINDS = {
    "of the text model":     ({"model_type": "llava", "text_config": {"model_type": "mistral"}}, "mistral"),
    "that is known":         ({"model_type": "qwen2_vl", "text_config": {"model_type": "novel"}}, "qwen2_vl"),
    "an unknown one":        ({"model_type": "novel"}, "novel"),
    "by the architecture":   ({"architectures": ["NovelForCausalLM"]}, "NovelForCausalLM"),
    "none":                  ({}, ""),
}  # fmt: skip


@pytest.mark.parametrize(("config", "kind"), KINDS.values(), ids=KINDS)
def test_the_kind(config, kind):
    assert Config.of(config).kind == kind
