from collections import Counter

import pytest

from bayplan.framework.errors import InputError
from bayplan.sizing.config_json import Config
from bayplan.sizing.layer_kinds import Mixer, layer_kinds

DELTA, KIMI, LIGHTNING = Mixer.DELTA, Mixer.KIMI, Mixer.LIGHTNING


def counted(kind, layers, config):
    """How often layers look so far back, or keep a state of that kind."""
    found = layer_kinds(Config.of({"model_type": kind, "num_attention_heads": 1} | config), layers)
    return Counter(each.window if each.mixer is Mixer.ATTENTION else each.mixer for each in found)


SWITCHED_OFF = {"sliding_window": 100, "use_sliding_window": False}
SWITCHED_ON = {"sliding_window": 100, "use_sliding_window": True, "max_window_layers": 3}
LAYERS = {
    "no window":                 ("llama", 4, {}, {None: 4}),
    "every layer":               ("mistral", 4, {"sliding_window": 100}, {100: 4}),
    "the window of the kind":    ("mistral", 4, {}, {4096: 4}),
    "null is none":              ("mistral", 4, {"sliding_window": None}, {None: 4}),
    "switched off":              ("qwen2", 4, SWITCHED_OFF, {None: 4}),
    "not switched on":           ("qwen2", 4, {"sliding_window": 100}, {None: 4}),
    "after the first layers":    ("qwen2", 4, SWITCHED_ON, {None: 3, 100: 1}),
    "names, but switched off":   ("qwen2", 2, SWITCHED_OFF | {"layer_types": ["sliding_attention"]}, {None: 2}),
    "every second looks far":    ("gemma2", 4, {"sliding_window": 100}, {None: 2, 100: 2}),
    "every sixth looks far":     ("gemma3_text", 13, {"sliding_window": 100}, {None: 2, 100: 11}),
    "as the pattern says":       ("cohere2", 6, {"sliding_window": 9, "sliding_window_pattern": 3}, {None: 2, 9: 4}),
    "a pattern of letters":      ("exaone4", 4, {"sliding_window": 9, "sliding_window_pattern": "LLLG"},
                                  {None: 1, 9: 3}),
    "a pattern of numbers":      ("mimo_v2_flash", 4, {"sliding_window": 9, "hybrid_layer_pattern": [0, 1, 1, 0]},
                                  {None: 2, 9: 2}),
    "each layer is named":       ("gpt_oss", 3, {"sliding_window": 9, "layer_types": [
                                  "sliding_attention", "full_attention", "sliding_attention"]}, {None: 1, 9: 2}),
    "windows of an unknown kind": ("novelnet", 3, {"sliding_window": 9, "layer_types": ["sliding_attention"]},
                                  {None: 3}),
    "layers with a state":       ("qwen3_next", 3, {"layer_types": [
                                  "linear_attention", "linear_attention", "full_attention"]}, {DELTA: 2, None: 1}),
    "an unknown name caches":    ("qwen3_next", 2, {"layer_types": ["linear_attention", "odd"]}, {DELTA: 1, None: 1}),
    "every fourth attends":      ("qwen3_next", 8, {"full_attention_interval": 4}, {DELTA: 6, None: 2}),
    "a period and an offset":    ("jamba", 32, {"attn_layer_period": 8, "attn_layer_offset": 4},
                                  {Mixer.MAMBA: 28, None: 4}),
    "attending layers by number": ("bamba", 32, {"attn_layer_indices": [9, 18, 27], "mamba_n_heads": 8},
                                   {Mixer.MAMBA2: 29, None: 3}),
    "a pattern of stars":        ("nemotron_h", 6, {"hybrid_override_pattern": "M-M*-E"},
                                  {Mixer.MAMBA2: 2, Mixer.NOTHING: 3, None: 1}),
    "a list of numbers":         ("minimax_text_01", 4, {"attn_type_list": [0, 0, 0, 1]}, {LIGHTNING: 3, None: 1}),
    "counted from one":          ("kimi_linear", 4, {"linear_attn_config": {"full_attn_layers": [2, 4]}},
                                  {KIMI: 2, None: 2}),
    "chunks":                    ("llama4_text", 8, {"attention_chunk_size": 8192}, {None: 2, 8192: 6}),
    "chunks by rope":            ("llama4_text", 3, {"attention_chunk_size": 8, "no_rope_layers": [1, 0, 1]},
                                  {None: 1, 8: 2}),
    "no chunks":                 ("llama4_text", 8, {}, {None: 8}),
    "pictures":                  ("mllama_text_model", 4, {"cross_attention_layers": [1]}, {None: 3, Mixer.CROSS: 1}),
    "nothing but states":        ("mamba", 3, {}, {Mixer.MAMBA: 3}),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "layers", "config", "expected"), LAYERS.values(), ids=LAYERS)
def test_how_layers_mix_their_tokens(kind, layers, config, expected):
    assert counted(kind, layers, config) == expected


def test_both_in_every_layer():
    (found,) = layer_kinds(Config.of({"model_type": "falcon_h1"}), 1)

    assert (found.mixer, found.beside) == (Mixer.ATTENTION, Mixer.MAMBA2)


def test_a_hybrid_that_says_nothing_is_unknown():
    assert layer_kinds(Config.of({"model_type": "jamba"}), 32) is None


def test_an_endless_list_is_refused():
    with pytest.raises(InputError, match="layer_types: 10,001 entries are too many"):
        layer_kinds(Config.of({"model_type": "llama", "layer_types": ["full_attention"] * 10_001}), 4)
