import pytest

from bayplan.sizing.config_json import Config
from bayplan.sizing.towers import CLIP_VIT_L14, Tower, audio_weights, read_tower


def tower(kind="llava", **parts):
    return read_tower(Config.of({"model_type": kind, "num_attention_heads": 4} | parts))


PLAIN = 3 * (4 * 10**2 + 2 * 10 * 40)
WEIGHTS = {
    "four times its width":     ({"hidden_size": 10, "num_hidden_layers": 3}, PLAIN),
    "an inner size":            ({"hidden_size": 10, "depth": 3, "intermediate_size": 7}, 3 * (400 + 140)),
    "a ratio":                  ({"width": 10, "layers": 3, "mlp_ratio": 2.5}, 3 * (400 + 500)),
    "layers over all tiles":    ({"hidden_size": 10, "num_hidden_layers": 2, "num_global_layers": 1}, PLAIN),
    "names of Kimi":            ({"vt_hidden_size": 10, "vt_num_hidden_layers": 3, "vt_intermediate_size": 40}, PLAIN),
    "a width and an output":    ({"embed_dim": 10, "hidden_size": 8, "depth": 3}, PLAIN + 40**2 + 40 * 8),
    "an output":                ({"hidden_size": 10, "depth": 3, "out_hidden_size": 8}, PLAIN + 40**2 + 40 * 8),
    "an output of three depths": ({"hidden_size": 10, "depth": 3, "out_hidden_size": 8,
                                   "deepstack_visual_indexes": [1, 2]}, PLAIN + 3 * (40**2 + 40 * 8)),
    "a default of its kind":    ({"model_type": "clip_vision_model"}, 12 * (4 * 768**2 + 2 * 768 * 3072)),
    "a gate":                   ({"model_type": "pixtral"}, 24 * (4 * 1024**2 + 3 * 1024 * 4096)),
    "no depth":                 ({"hidden_size": 10}, None),
}  # fmt: skip


@pytest.mark.parametrize(("part", "weights"), WEIGHTS.values(), ids=WEIGHTS)
def test_weights(part, weights):
    assert tower(vision_config=part).weights == weights


HEADS = {
    "a tower":              ({"vision_config": {"num_attention_heads": 16}}, 16),
    "dummy heads":          ({"vision_config": {"num_attention_heads": 25, "num_dummy_heads": 7}}, 32),
    "num_heads":            ({"visual": {"num_heads": 20}}, 20),
    "heads":                ({"vit_config": {"heads": 20}}, 20),
    "attention_heads":      ({"vision_tower_config": {"attention_heads": 20}}, 20),
    "vt_num_attention_heads": ({"vision_config": {"vt_num_attention_heads": 12}}, 12),
    "of the thinker":       ({"thinker_config": {"vision_config": {"num_heads": 16}}}, 16),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "heads"), HEADS.values(), ids=HEADS)
def test_heads(parts, heads):
    assert tower(**parts).heads == heads


def test_no_tower():
    assert tower() is None


def test_a_tower_that_is_never_cut():
    assert tower(vision_config={"model_type": "intern_vit_6b", "hidden_size": 1, "depth": 1}).never_cut
    assert not tower(vision_config={"model_type": "siglip_vision_model"}).never_cut


def test_a_tower_that_is_only_named():
    assert tower(img_processor={"name": "clip_vision_model"}) == Tower(
        "img_processor", CLIP_VIT_L14, 16, never_cut=False
    )
    assert tower(img_processor={"name": "novel"}).weights is None


AUDIO = {
    "an encoder":     ("qwen2_audio", {"encoder_layers": 3, "d_model": 10, "encoder_ffn_dim": 40}, PLAIN),
    "other names":    ("gemma4", {"num_hidden_layers": 3, "hidden_size": 10}, PLAIN),
    "gemma3n":        ("gemma3n", {"hidden_size": 1536}, 680_000_000),
    "nothing":        ("llama", None, 0),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "part", "weights"), AUDIO.values(), ids=AUDIO)
def test_what_hears(kind, part, weights):
    assert audio_weights(Config.of({"model_type": kind, "audio_config": part})) == weights
