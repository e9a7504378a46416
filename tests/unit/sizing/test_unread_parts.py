import pytest

from bayplan.sizing.config_json import Config
from bayplan.sizing.unread_parts import unread_part

PARTS = {
    "nothing":                   ({}, None),
    "a part with sizes":         ({"ponder_config": {"hidden_size": 3}}, "ponder_config"),
    "a part without":            ({"ponder_config": {"rate": 3}}, None),
    "a part that is understood": ({"rope_scaling": {"depth": 3}, "attn_config": {"d_model": 3}}, None),
    "a part that is not loaded": ({"talker_config": {"hidden_size": 3}}, None),
    "what sees and hears":       ({"vision_config": {"depth": 3}, "audio_config": {"d_model": 3}}, None),
    "inside of the text model":  ({"text_config": {"ponder_config": {"width": 3}}}, "text_config.ponder_config"),
    "experts of another kind":   ({"routed_expert_hidden_size": 3}, "routed_expert_hidden_size"),
    "a size of another kind":    ({"moe_latent_size": 1024}, "moe_latent_size"),
    "an inner size":             ({"parallel_ffn_width": 9}, "parallel_ffn_width"),
    "a small number":            ({"moe_eval_factor": 1.0}, None),
    "a switch":                  ({"use_mixed_moe_": True}, None),
    "fields that are read":      ({"num_experts": 8, "moe_intermediate_size": 9, "ffn_dim": 9}, None),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "part"), PARTS.values(), ids=PARTS)
def test_what_could_hold_weights(changes, part):
    assert unread_part(Config.of({"model_type": "llama", "num_hidden_layers": 2} | changes)) == part
