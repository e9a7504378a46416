"""The numbers that a config.json may leave out because its kind has a default for them."""

from __future__ import annotations

from typing import Final

from bayplan.sizing.families import names

_FIELDS = (
    "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim",
    "vocab_size", "max_position_embeddings",
)  # fmt: skip


def _numbers(text: str, **others: int) -> dict[str, int]:
    """Numbers in the order of the fields; a dash where the kind has no default."""
    pairs = zip(_FIELDS, text.split(), strict=True)
    return {field: int(number) for field, number in pairs if number != "-"} | others


_MISTRAL = "4096 14336 32 32 8 - 32000 131072"
_QWEN2 = "4096 22016 32 32 32 - 151936 32768"

KIND_DEFAULTS: Final[dict[str, dict[str, int]]] = {
    "llama":       _numbers("4096 11008 32 32 - - 32000 2048"),
    "mistral":     _numbers(_MISTRAL, sliding_window=4096),
    "mixtral":     _numbers(_MISTRAL, sliding_window=4096, num_local_experts=8, num_experts_per_tok=2),
    "qwen2":       _numbers(_QWEN2),
    "qwen3":       _numbers(_QWEN2, head_dim=128),
    "gemma":       _numbers("3072 24576 28 16 16 256 256000 8192"),
    "gemma2":      _numbers("2304 9216 26 8 4 256 256000 8192", sliding_window=4096),
    "gemma3_text": _numbers("2304 9216 26 8 4 256 262208 131072", sliding_window=4096),
    "phi3":        _numbers("3072 8192 32 32 - - 32064 4096"),
    "minicpm3":    {"qk_rope_head_dim": 32},
    "mamba":       {"expand": 2, "state_size": 16, "conv_kernel": 4},
    "falcon_mamba": {"expand": 2, "state_size": 16, "conv_kernel": 4},
    "mamba2":      {"num_heads": 128, "head_dim": 64, "state_size": 128, "conv_kernel": 4, "n_groups": 8},
}  # fmt: skip

TEXT_KINDS: Final = {
    "gemma3": "gemma3_text", "llava": "llama", "llava_next": "llama", "llava_next_video": "llama",
    "video_llava": "llama", "paligemma": "gemma", "idefics2": "mistral", "mistral3": "mistral", "phi3_v": "phi3",
}  # fmt: skip
"""The text model of a kind that does not say what its text model is."""

_TOWER_FIELDS = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
TOWER_DEFAULTS: Final[dict[str, dict[str, int]]] = {
    kind: dict(zip(_TOWER_FIELDS, numbers, strict=True))
    for kind, numbers in {
        "clip_vision_model": (768, 3072, 12, 12),
        "siglip_vision_model": (768, 3072, 12, 12),
        "pixtral": (1024, 4096, 24, 16),
    }.items()
}

_TIED = names("bloom falcon gpt2 gpt_bigcode gpt_neo mpt opt phi3small starcoder2 minicpm3 t5 whisper command-r")
_TIED_BEGINNINGS = ("cohere", "gemma")


def ties_words(kind: str) -> bool:
    """Whether input and output words share one matrix in this kind, unless its config says otherwise."""
    return kind in _TIED or kind.startswith(_TIED_BEGINNINGS)
