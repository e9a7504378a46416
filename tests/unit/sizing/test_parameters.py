from fractions import Fraction

import pytest

from bayplan.sizing.config_json import Config
from bayplan.sizing.engine import Engine
from bayplan.sizing.parameters import count_parameters, packed_weights
from bayplan.sizing.quantization import read_packing
from unit.sizing.writers import LLAMA_8B


def config(kind, *numbers, **others):
    """Hidden and inner size, layers, heads, KV heads and words of a kind."""
    names = (
        "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
        "vocab_size",
    )  # fmt: skip
    return {"model_type": kind} | dict(zip(names, numbers, strict=False)) | others


LATENT = {
    "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
}  # fmt: skip
MAMBA = {
    "attn_layer_offset": 4, "attn_layer_period": 8, "expert_layer_offset": 1, "expert_layer_period": 2,
    "mamba_d_conv": 4, "mamba_d_state": 16, "mamba_dt_rank": 512, "mamba_expand": 2,
}  # fmt: skip
MAMBA2 = {"mamba_num_heads": 128, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4}
DELTA = {
    "attn_output_gate": True, "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
    "linear_num_key_heads": 16, "linear_num_value_heads": 48, "linear_value_head_dim": 128,
}  # fmt: skip
SIGLIP = {
    "model_type": "siglip_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27,
}  # fmt: skip

COUNTS = {
    "Llama 3.1 8B":     (LLAMA_8B, 8.03),
    "words are tied":   (LLAMA_8B | {"tie_word_embeddings": True}, 7.50),
    "Mixtral 8x7B":     (config("mixtral", 4096, 14336, 32, 32, 8, 32000, num_local_experts=8), 46.7),
    "Qwen3 235B":       (config("qwen3_moe", 4096, 12288, 94, 64, 4, 151936, head_dim=128, num_experts=128,
                                moe_intermediate_size=1536), 235.1),
    "Qwen2 57B":        (config("qwen2_moe", 3584, 18944, 28, 28, 4, 151936, num_experts=64, moe_intermediate_size=2560,
                                shared_expert_intermediate_size=20480), 57.4),
    "DeepSeek V3":      (config("deepseek_v3", 7168, 18432, 61, 128, 128, 129280, n_routed_experts=256,
                                n_shared_experts=1, moe_intermediate_size=2048, first_k_dense_replace=3, **LATENT),
                         671.0),
    "GLM-5":            (config("glm_moe_dsa", 6144, 12288, 78, 64, 64, 154880, n_routed_experts=256,
                                n_shared_experts=1, moe_intermediate_size=2048, first_k_dense_replace=3,
                                index_head_dim=128, index_n_heads=32,
                                **LATENT | {"q_lora_rank": 2048, "qk_nope_head_dim": 192, "v_head_dim": 256}), 743.9),
    "LongCat Flash":    (config("longcat_flash", 6144, None, None, 64, 64, 131072, ffn_hidden_size=12288, num_layers=28,
                                expert_ffn_hidden_size=2048, n_routed_experts=512, zero_expert_num=256, **LATENT),
                         560.6),
    "Llama 4 Maverick": (config("llama4_text", 5120, 8192, 48, 40, 8, 202048, head_dim=128, num_local_experts=128,
                                intermediate_size_mlp=16384, interleave_moe_layer_step=2), 400.7),
    "DBRX":             ({"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "vocab_size": 100352,
                          "attn_config": {"kv_n_heads": 8},
                          "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16}}, 131.6),
    "Jamba Large":      (config("jamba", 8192, 24576, 72, 64, 8, 65536, num_experts=16, **MAMBA), 398.6),
    "Nemotron-H 8B":    (config("nemotron_h", 4096, 21504, 52, 32, 8, 131072, attention_head_dim=128,
                                hybrid_override_pattern="M-M-M-M*-" + "M-M-M-M-M*-" * 3 + "M-M-M-M-M-", **MAMBA2), 8.1),
    "Qwen3.5 27B":      (config("qwen3_5_text", 5120, 17408, 64, 24, 4, 248320, head_dim=256, **DELTA), 26.9),
    "Falcon Mamba 7B":  (config("falcon_mamba", 4096, 8192, 64, vocab_size=65024, time_step_rank=256), 7.27),
    "Falcon-H1 34B":    (config("falcon_h1", 5120, 21504, 72, 20, 4, 261120, head_dim=128, mamba_n_heads=32,
                                mamba_d_head=128, mamba_d_state=256, mamba_n_groups=2, mamba_d_conv=4), 33.6),
    "LFM2 1.2B":        (config("lfm2", 2048, None, 16, 32, 8, 65536, block_ff_dim=12288, block_auto_adjust_ff_dim=True,
                                conv_L_cache=3, tie_word_embeddings=True, layer_types=[
                                    *["conv", "conv", "full_attention"] * 3, *["conv", "full_attention"] * 3, "conv"]),
                         1.17),
    "Kimi Linear 48B":  (config("kimi_linear", 2304, 9216, 27, 32, 32, 163840, num_experts=256, num_shared_experts=1,
                                moe_intermediate_size=1024, first_k_dense_replace=1,
                                linear_attn_config={"full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "head_dim": 128,
                                                    "num_heads": 32}, **LATENT | {"q_lora_rank": None}), 49.1),
    "MiMo V2 Flash":    (config("mimo_v2_flash", 4096, 16384, 48, 64, 4, 152576, head_dim=192, v_head_dim=128,
                                moe_intermediate_size=2048, n_routed_experts=256, moe_layer_freq=[0] + [1] * 47),
                         308.6),
    "Gemma 4 31B":      (config("gemma4_text", 5376, 21504, 60, 32, 16, 262144, head_dim=256, global_head_dim=512,
                                num_global_key_value_heads=4, attention_k_eq_v=True, sliding_window=1024,
                                layer_types=["sliding_attention"] * 5 + ["full_attention"]), 30.7),
    "ERNIE 4.5 300B":   (config("ernie4_5_moe", 8192, 28672, 54, 64, 8, 103424, moe_intermediate_size=3584,
                                moe_num_experts=64, moe_layer_start_index=3, moe_layer_end_index=53), 299.5),
    "Falcon 40B":       (config("falcon", 8192, None, 60, 128, vocab_size=65024, num_kv_heads=8, multi_query=True,
                                new_decoder_architecture=True, tie_word_embeddings=False), 41.8),
    "Qwen 7B":          (config("qwen", 4096, 22016, 32, 32, vocab_size=151936, kv_channels=128), 7.72),
    "GPT-2":            ({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257},
                         0.1237),
    "BERT":             (config("bert", 768, 3072, 12, 12, vocab_size=30522, max_position_embeddings=512,
                                type_vocab_size=2), 0.109),
    "ModernBERT":       (config("modernbert", 768, 1152, 22, 12, vocab_size=50368, max_position_embeddings=8192),
                         0.155),
    "nomic-embed-text": ({"model_type": "nomic_bert", "n_embd": 768, "n_inner": 3072, "n_layer": 12, "n_head": 12,
                          "vocab_size": 30528, "n_positions": 2048}, 0.138),
    "BART":             ({"model_type": "bart", "d_model": 1024, "encoder_layers": 12, "decoder_layers": 12,
                          "decoder_attention_heads": 16, "decoder_ffn_dim": 4096, "vocab_size": 50265}, 0.404),
    "Flan-T5 XL":       ({"model_type": "t5", "d_model": 2048, "d_ff": 5120, "d_kv": 64, "num_heads": 32,
                          "num_layers": 24, "vocab_size": 32128, "feed_forward_proj": "gated-gelu",
                          "tie_word_embeddings": False}, 2.85),
    "PaliGemma 3B":     ({"model_type": "paligemma", "vision_config": SIGLIP,
                          "text_config": config("gemma", 2048, 16384, 18, 8, 1, 257216, head_dim=256)}, 2.92),
    "LLaVA 1.5 7B":     ({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064},
                          "vision_config": {"model_type": "clip_vision_model", "hidden_size": 1024,
                                            "intermediate_size": 4096, "num_hidden_layers": 24}}, 7.04),
    "Qwen2.5-VL 7B":    (config("qwen2_5_vl", 3584, 18944, 28, 28, 4, 152064, vision_config={
                             "depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "out_hidden_size": 3584}),
                         8.29),
    "Qwen2-Audio 7B":   ({"model_type": "qwen2_audio", "text_config": config("qwen2", 4096, 11008, 32, 32, 32, 156032),
                          "audio_config": {"encoder_layers": 32, "d_model": 1280, "encoder_ffn_dim": 5120}}, 8.38),
}  # fmt: skip


@pytest.mark.parametrize(("model", "billions"), COUNTS.values(), ids=COUNTS)
def test_published_numbers_of_weights(model, billions):
    assert count_parameters(Config.of(model)).total == pytest.approx(billions * 1e9, rel=0.01)


def test_layers_that_say_their_own_sizes():
    blocks = [
        {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 1.0}},
        {"attention": {"no_op": True}, "ffn": {"no_op": True}},
        {"attention": {"replace_with_linear": True}, "ffn": {"replace_with_linear": True}},
    ]
    model = config(
        "nemotron-nas", 768, None, 3, 8, None, 10, head_dim=96, block_configs=blocks, tie_word_embeddings=True
    )

    assert count_parameters(Config.of(model)).total == (7680 + 2 * 768 * 96 * (8 + 2) + 3 * 768 * 512 + 2 * 768**2)


def weights(engine="vllm", **changes):
    read = Config.of(LLAMA_8B | changes)
    return packed_weights(count_parameters(read), read_packing(read)).held(Engine(engine)).total_bytes


OUTER, PER_LAYER = 2 * 128256 * 4096, 218_103_808
ATTENTION = 41_943_040
PACKINGS = {
    "plain":             ({}, 2 * (OUTER + 32 * PER_LAYER)),
    "eight bits":        ({"quant_method": "fp8"}, 2 * OUTER + 32 * PER_LAYER),
    "attention is plain": ({"quant_method": "fp8", "ignored_layers": ["re:.*self_attn.*"]},
                           2 * OUTER + 32 * (PER_LAYER + ATTENTION)),
    "two layers are plain": ({"quant_method": "fp8", "ignore": ["model.layers.0", "model.layers.31.*"]},
                             2 * OUTER + 34 * PER_LAYER),
}  # fmt: skip


@pytest.mark.parametrize(("packing", "size_bytes"), PACKINGS.values(), ids=PACKINGS)
def test_packed_matrices_and_plain_words(packing, size_bytes):
    assert weights(quantization_config=packing or None) == size_bytes


HOLDINGS = {
    "16 bits of 32":        ("vllm", "float32", 2),
    "SGLang too":           ("sglang", "float32", 2),
    "custom as stored":     ("custom", "float32", 4),
    "llama.cpp as stored":  ("llama-cpp", "float32", 4),
    "16 bits stay":         ("custom", "bfloat16", 2),
}  # fmt: skip


@pytest.mark.parametrize(("engine", "dtype", "size_bytes"), HOLDINGS.values(), ids=HOLDINGS)
def test_what_an_engine_holds_of_a_checkpoint(engine, dtype, size_bytes):
    assert weights(engine, torch_dtype=dtype) == size_bytes * (OUTER + 32 * PER_LAYER)


def test_an_engine_may_be_told_to_hold_32_bits():
    read = Config.of(LLAMA_8B)
    found = packed_weights(count_parameters(read), read_packing(read))

    assert found.held(Engine("vllm", dtype="float32")).total_bytes == 4 * (OUTER + 32 * PER_LAYER)


def test_vllm_pads_experts_in_mxfp4():
    read = Config.of(
        config("gpt_oss", 2880, 2880, 24, 64, 8, 201088, head_dim=64, num_local_experts=32,
               quantization_config={"quant_method": "mxfp4"})
    )  # fmt: skip
    found = packed_weights(count_parameters(read), read_packing(read))
    experts = 24 * 32 * 3 * 2880**2 * Fraction(17, 32)

    assert found.held(Engine("sglang")).total_bytes == pytest.approx(13.76e9, rel=0.01)
    assert found.held(Engine("vllm")).total_bytes - found.held(Engine("sglang")).total_bytes == pytest.approx(
        experts * Fraction(9, 100), rel=1e-6
    )
