"""The names that config.json files use for the same number; the first one that is present counts."""

from __future__ import annotations

from typing import Final

from bayplan.sizing.families import names

LAYERS: Final = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers")
HIDDEN: Final = ("hidden_size", "n_embd", "n_embed", "d_model", "dim")
HEADS: Final = (
    "num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads", "encoder_attention_heads",
)  # fmt: skip
KV_HEADS: Final = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads", "attn_config.kv_n_heads")
HEAD_DIM: Final = ("head_dim", "kv_channels", "attention_head_dim", "d_kv")
VOCABULARY: Final = ("vocab_size", "padded_vocab_size")
INNER: Final = (
    "intermediate_size", "n_inner", "ffn_hidden_size", "ff_intermediate_size", "ffn_dim", "decoder_ffn_dim",
    "encoder_ffn_dim", "d_ff",
)  # fmt: skip
CONTEXT: Final = (
    "max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length", "n_ctx",
    "max_target_positions", "max_sequence_length",
)  # fmt: skip

EXPERTS: Final = (
    "num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts", "ffn_config.moe_num_experts",
)  # fmt: skip
EXPERTS_USED: Final = (
    "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_top_k", "moe_k",
    "top_k_experts", "ffn_config.moe_top_k",
)  # fmt: skip
EXPERT_INNER: Final = ("moe_intermediate_size", "expert_ffn_hidden_size", "ffn_config.ffn_hidden_size")
SHARED_EXPERTS: Final = ("n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts")
SHARED_INNER: Final = (
    "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size",
)  # fmt: skip
SPARSE_STEPS: Final = ("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval")
WINDOWS: Final = ("sliding_window", "attention_window_size", "window_size", "sliding_window_size")

LINEAR_FIELDS: Final = {
    "key_heads": ("linear_num_key_heads",),
    "key_dim": ("linear_key_head_dim",),
    "value_heads": ("linear_num_value_heads",),
    "value_dim": ("linear_value_head_dim",),
    "conv": ("linear_conv_kernel_dim",),
}
MAMBA_FIELDS: Final = {
    "expand": ("mamba_expand", "expand"),
    "state": ("mamba_d_state", "state_size", "ssm_state_size"),
    "conv": ("mamba_d_conv", "conv_kernel"),
    "rank": ("mamba_dt_rank", "time_step_rank"),
}
MAMBA2_FIELDS: Final = {
    "heads": ("mamba_num_heads", "mamba_n_heads"),
    "head_dim": ("mamba_head_dim", "mamba_d_head"),
    "state": ("ssm_state_size", "mamba_d_state", "state_size"),
    "conv": ("conv_kernel", "mamba_d_conv"),
    "groups": ("n_groups", "mamba_n_groups"),
}

TEXT_PARTS: Final = ("llm_config", "text_config", "language_config")
TOWERS: Final = ("vision_config", "vision_tower_config", "vit_config", "visual")
TOWER_WIDTH: Final = ("embed_dim", "width", "vt_hidden_size", "hidden_size")
"""embed_dim comes first: in qwen2_vl hidden_size is the size of the tower's output."""

TOWER_DEPTH: Final = ("depth", "num_hidden_layers", "layers", "vt_num_hidden_layers")
TOWER_INNER: Final = ("intermediate_size", "vt_intermediate_size")
TOWER_HEADS: Final = ("num_attention_heads", "num_heads", "heads", "attention_heads", "vt_num_attention_heads")
AUDIO_WIDTH: Final = ("d_model", "hidden_size")
AUDIO_DEPTH: Final = ("encoder_layers", "num_hidden_layers", "conf_num_hidden_layers")
AUDIO_INNER: Final = ("encoder_ffn_dim", "intermediate_size")

READ_PARTS: Final = frozenset({*TEXT_PARTS, "thinker_config", *TOWERS, "audio_config", "img_processor"})
WEIGHTLESS_PARTS: Final = names(
    """
    rope_scaling rope_parameters quantization_config compression_config sparse_attention_config linear_attn_config
    attn_config ffn_config projector_config embd_layer talker_config code2wav_config token2wav_config
    """
)
"""Understood parts that add no weights, and parts that engines do not load."""

PART_SIZES: Final = (
    "hidden_size", "num_hidden_layers", "num_layers", "intermediate_size", "n_layers", "d_model", "depth", "width",
    "num_experts",
)  # fmt: skip
"""A nested part with one of these has weights of its own."""

EXPERT_WORDS: Final = ("expert", "moe_", "ffn")
EXPERT_FIELDS: Final = frozenset(
    {
        *EXPERTS, *EXPERTS_USED, *EXPERT_INNER, *SHARED_EXPERTS, *SHARED_INNER, *SPARSE_STEPS, *INNER,
        "first_k_dense_replace", "moe_layer_start_index", "moe_layer_end_index", "moe_layer_freq",
        "expert_layer_offset", "expert_layer_period", "ffn_mult", "ffn_dim_multiplier", "zero_expert_num",
    }
)  # fmt: skip
"""Fields about experts that are read, or known to add no weights; any other could hide experts."""
