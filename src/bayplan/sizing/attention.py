"""Attention layers: their matrices by name, and the values that they cache for each token."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bayplan.sizing.config_json import MOST_LAYERS
from bayplan.sizing.facts import KvLayers
from bayplan.sizing.layer_kinds import Mixer

if TYPE_CHECKING:
    from bayplan.sizing.config_json import Config
    from bayplan.sizing.facts import Attention
    from bayplan.sizing.layers import Layer

MLLAMA_PICTURE_TOKENS = 6404
"""Four tiles of 1601 patches: the most that a cross-attention layer caches for one picture."""

_GATED_QUERIES = frozenset({"qwen3_next"})
_INDEX_BLOCK = 128  # values that share one scale


def latent_values(config: Config) -> int | None:
    """Cached values per token and layer of latent attention (MLA), for all heads together; None for other attention."""
    rank = config.count(("kv_lora_rank",))
    if rank is None or not config.text.flag("use_mla", absent=True):
        return None
    return rank + (config.count(("qk_rope_head_dim",)) or 0)


def attention_matrices(config: Config, layer: Layer) -> dict[str, int]:
    """Weights of the matrices of one layer, by the names that config files use for them."""
    hidden = config.hidden or 0
    if config.kind == "deepseek_v4":
        return _grouped_output(config, layer, hidden) | _index(config, hidden)
    rank = config.count(("kv_lora_rank",)) if latent_values(config) else None
    if rank is not None:
        return _latent(config, layer, hidden, rank) | _index(config, hidden)
    gated = config.text.flag("attn_output_gate", absent=config.kind in _GATED_QUERIES)
    one_for_both = layer.kind.window is None and config.text.flag("attention_k_eq_v")
    return {
        "q_proj": hidden * layer.heads * layer.head_dim * (2 if gated else 1),
        "k_proj": hidden * layer.kv_heads * layer.head_dim,
        "v_proj": 0 if one_for_both else hidden * layer.kv_heads * layer.value_dim,
        "o_proj": layer.heads * layer.value_dim * hidden,
    }


def _latent(config: Config, layer: Layer, hidden: int, rank: int) -> dict[str, int]:
    rope, key = config.count(("qk_rope_head_dim",)) or 0, config.count(("qk_nope_head_dim",)) or 0
    value = config.count(("v_head_dim",)) or (hidden // layer.heads if config.kind == "minicpm3" else key)
    query_rank, queries = config.count(("q_lora_rank",)), layer.heads * (key + rope)
    asking = (
        {"q_a_proj": query_rank * hidden, "q_b_proj": query_rank * queries}
        if query_rank
        else {"q_proj": hidden * queries}
    )
    return asking | {
        "kv_a_proj_with_mqa": hidden * (rank + rope),
        "kv_b_proj": rank * layer.heads * (key + value),
        "o_proj": layer.heads * value * hidden,
    }


def _grouped_output(config: Config, layer: Layer, hidden: int) -> dict[str, int]:
    query_rank, output_rank = config.count(("q_lora_rank",)) or 0, config.count(("o_lora_rank",)) or 0
    wide = layer.heads * layer.head_dim
    return {
        "q_a_proj": hidden * query_rank,
        "q_b_proj": query_rank * wide,
        "kv_a_proj_with_mqa": hidden * layer.head_dim,
        "o_proj": output_rank * (wide + (config.count(("o_groups",)) or 1) * hidden),
    }


def _index(config: Config, hidden: int) -> dict[str, int]:
    """The index in which sparse attention looks up the tokens to attend to."""
    width = config.count(("index_head_dim",))
    if width is None:
        return {}
    ranks = (config.count(("q_lora_rank",)) or hidden) * (config.count(("index_n_heads",)) or 1)
    return {"indexer": ranks * width + hidden * width}


def cached(config: Config, layers: tuple[Layer, ...]) -> Attention:
    """What all layers cache. In some kinds the last layers use the cache of earlier ones and add nothing."""
    latent, index = latent_values(config), _index_bytes(config)
    sparse, sparse_values = _sparse_index(config, len(layers))
    counted: dict[KvLayers, int] = {}
    for number, layer in enumerate(layers[: max(1, len(layers) - (config.count(("num_kv_shared_layers",)) or 0))]):
        if not layer.attends:
            continue
        values = latent or layer.kv_heads * (layer.head_dim + layer.value_dim)
        values += sparse_values if number < len(sparse) and sparse[number] == 1 else 0
        fixed = MLLAMA_PICTURE_TOKENS if layer.kind.mixer is Mixer.CROSS else None
        kept = KvLayers(1, values, layer.kind.window, layer.kind.in_chunks, fixed, index)
        counted[kept] = counted.get(kept, 0) + _caches(config)
    return tuple(replace(kept, count=count) for kept, count in counted.items())


def _caches(config: Config) -> int:
    """The caches of one layer: two for LongCat, which attends twice per layer, else one."""
    return 2 if config.kind == "longcat_flash" else 1


def _index_bytes(config: Config) -> int:
    """One byte per value of the index, and a 32-bit scale per block of values."""
    width = config.count(("index_head_dim",)) if latent_values(config) else None
    return 0 if width is None else width + 4 * width // _INDEX_BLOCK


def _sparse_index(config: Config, layers: int) -> tuple[tuple[int, ...], int]:
    part = config.text.inner("sparse_attention_config") or config.text
    width = part.count("sparse_index_dim")
    if width is None:
        return (), 0
    listed = part.listed("sparse_attention_freq", most_entries=MOST_LAYERS)
    return listed if listed is not None else ((part.count("sparse_attention_freq") or 0,) * layers), width
