from collections import Counter

import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.layer_kinds import layer_windows
from bayplan.sizing.section import Section

WINDOWS = {
    "no window":                 ("llama", 4, {}, {None: 4}),
    "every layer":               ("mistral", 4, {"sliding_window": 100}, {100: 4}),
    "null is none":              ("mistral", 4, {"sliding_window": None}, {None: 4}),
    "switched off":              ("qwen2", 4, {"sliding_window": 100, "use_sliding_window": False}, {None: 4}),
    "after the first layers":    ("qwen2", 4, {"sliding_window": 100, "use_sliding_window": True,
                                               "max_window_layers": 3}, {None: 3, 100: 1}),
    "every second looks far":    ("gemma2", 4, {"sliding_window": 100}, {None: 2, 100: 2}),
    "every sixth looks far":     ("gemma3_text", 13, {"sliding_window": 100}, {None: 2, 100: 11}),
    "as the pattern says":       ("cohere2", 6, {"sliding_window": 9, "sliding_window_pattern": 3}, {None: 2, 9: 4}),
    "a pattern of letters":      ("exaone4", 4, {"sliding_window": 9, "sliding_window_pattern": "LLLG"},
                                  {None: 1, 9: 3}),
    "each layer is named":       ("gpt_oss", 3, {"sliding_window": 9, "layer_types": [
                                  "sliding_attention", "full_attention", "sliding_attention"]}, {None: 1, 9: 2}),
    "layers without a cache":    ("qwen3_next", 3, {"layer_types": [
                                  "linear_attention", "linear_attention", "full_attention"]}, {None: 1}),
    "an unknown kind caches":    ("qwen3_next", 2, {"layer_types": ["linear_attention", "odd"]}, {None: 1}),
    "every fourth attends":      ("qwen3_next", 8, {"full_attention_interval": 4}, {None: 2}),
    "a period and an offset":    ("jamba", 32, {"attn_layer_period": 8, "attn_layer_offset": 4}, {None: 4}),
    "attending layers by number": ("bamba", 32, {"attn_layer_indices": [9, 18, 27]}, {None: 3}),
    "a pattern of stars":        ("nemotron_h", 5, {"hybrid_override_pattern": "M-M*-"}, {None: 1}),
    "a list of numbers":         ("minimax", 4, {"attn_type_list": [0, 0, 0, 1]}, {None: 1}),
    "a repeated pattern":        ("recurrent_gemma", 6, {"block_types": ["recurrent", "recurrent", "attention"],
                                                          "attention_window_size": 9}, {None: 2}),
    "chunks":                    ("llama4_text", 8, {"attention_chunk_size": 8192}, {None: 2, 8192: 6}),
    "layers that share":         ("gemma3n_text", 5, {"num_kv_shared_layers": 2, "sliding_window": 9, "layer_types": [
                                  "sliding_attention", "full_attention"]}, {9: 2, None: 1}),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "layers", "config", "expected"), WINDOWS.values(), ids=WINDOWS)
def test_how_far_layers_look(kind, layers, config, expected):
    assert Counter(layer_windows(Section(config), kind, layers)) == expected


def test_a_hybrid_that_says_nothing_is_unknown():
    assert layer_windows(Section({}), "jamba", 32) is None


def test_an_endless_list_is_refused():
    with pytest.raises(InputError, match="layer_types: 10,001 entries are too many"):
        layer_windows(Section({"layer_types": ["full_attention"] * 10_001}), "llama", 4)
