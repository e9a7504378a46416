import pytest

from bayplan.sizing.config_json import Config
from bayplan.sizing.config_traits import traits_of
from bayplan.sizing.engine import Engine
from bayplan.sizing.kv_cache import state_bytes
from bayplan.sizing.layer_kinds import Mixer
from bayplan.sizing.states import STATE_MIXERS, build

MIB = 2**20
DELTA = {
    "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
    "linear_num_key_heads": 16, "num_attention_heads": 16, "hidden_size": 2048, "vocab_size": 10,
}  # fmt: skip
NANO = {
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", "mamba_head_dim": 64,
    "mamba_num_heads": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4, "num_attention_heads": 32,
    "hidden_size": 2688, "mamba_ssm_cache_dtype": "float32", "num_hidden_layers": 52,
}  # fmt: skip
KIMI = {
    "linear_attn_config": {"full_attn_layers": [*range(4, 93, 4), 93], "num_heads": 96, "head_dim": 128,
                           "short_conv_kernel_size": 4},
    "num_hidden_layers": 93, "num_attention_heads": 96, "hidden_size": 7168,
}  # fmt: skip
JAMBA = {
    "attn_layer_offset": 4, "attn_layer_period": 8, "mamba_d_conv": 4, "mamba_d_state": 16, "mamba_expand": 2,
    "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
}  # fmt: skip
LIGHTNING = {
    "attn_type_list": [0, 1], "num_hidden_layers": 2, "num_attention_heads": 64, "head_dim": 128, "hidden_size": 6144,
}  # fmt: skip

SIZES = {
    "Qwen3.5 27B":      ("qwen3_5_text", DELTA | {"num_hidden_layers": 64, "linear_num_value_heads": 48,
                                                   "mamba_ssm_dtype": "float32"}, 146.8),
    "Qwen3-Next":       ("qwen3_next", DELTA | {"num_hidden_layers": 48, "linear_num_value_heads": 32}, 37.7),
    "Nemotron 3 Nano":  ("nemotron_h", NANO, 46.8),
    "Kimi K3":          ("kimi_linear", KIMI, 428.6),
    "Jamba":            ("jamba", JAMBA, 28 * (8192 * 16 * 2 + 2 * 3 * 8192) / MIB),
    "MiniMax Text 01":  ("minimax_text_01", LIGHTNING, 64 * 128 * 128 * 2 / MIB),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "config", "mib"), SIZES.values(), ids=SIZES)
def test_the_state_of_a_sequence(kind, config, mib):
    states = traits_of(Config.of(config | {"model_type": kind})).states

    assert state_bytes(states, Engine("vllm")) / MIB == pytest.approx(mib, abs=0.06)


def test_llama_cpp_keeps_every_value_in_32_bits():
    states = traits_of(Config.of(JAMBA | {"model_type": "jamba"})).states

    assert state_bytes(states, Engine("llama-cpp")) == 28 * 4 * (8192 * 16 + 3 * 8192)


@pytest.mark.parametrize("mixer", sorted(STATE_MIXERS, key=lambda each: each.value))
def test_a_state_without_its_numbers_is_unknown(mixer):
    assert build(Config.of({"model_type": "novelnet"}), mixer) is None


def test_weights_of_a_short_convolution():
    weights, state = build(Config.of({"model_type": "lfm2", "hidden_size": 10, "conv_L_cache": 3}), Mixer.CONV)

    assert (sum(weights.values()), state.conv_values) == (4 * 10**2 + 3 * 10, 2 * 10)
